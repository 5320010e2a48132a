"""The exercises of 10_vmap, in the order of the page."""

from traced.lessons.vmap.ensemble import ensemble
from traced.lessons.vmap.rate_all import rate_all
from traced.lessons.vmap.row_medians import row_medians
from traced.lessons.vmap.slopes import slopes
from traced.lessons.vmap.table import table

EXERCISES = (rate_all, table, slopes, ensemble, row_medians)
