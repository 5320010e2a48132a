"""The exercises of 12_nnx_objects, in the order of the page."""

from traced.lessons.nnx_objects.loss_after import loss_after
from traced.lessons.nnx_objects.resume import resume
from traced.lessons.nnx_objects.run import run
from traced.lessons.nnx_objects.stack import Stack
from traced.lessons.nnx_objects.with_head import with_head

EXERCISES = (Stack, loss_after, with_head, run, resume)
