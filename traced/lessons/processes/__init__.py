"""The exercises of 16b_processes, in the order of the page."""

from traced.lessons.processes.load_rows import load_rows
from traced.lessons.processes.write_log import write_log

EXERCISES = (load_rows, write_log)
