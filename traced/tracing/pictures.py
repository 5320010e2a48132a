"""The calls of a watched function to scale: what is spent on tracing, compiling and running."""

from traced.drawing.bars import Strip, draw_strips
from traced.drawing.picture import Picture
from traced.python.values import shortened
from traced.tracing.watch import CACHED, Watched, WatchedCall

MOST, WIDEST = 14, 48  # calls drawn, characters of a reason
HUES = {"purple": "trace", "amber": "compile", "teal": "run"}


def show_calls(f: Watched) -> Picture:
    """Return the calls of a function under `watch`, to scale in milliseconds.

    The times are those of the calls when they were made, each until its result was there. They
    differ from run to run, so no test compares them; the text is that of `f`, without times. Calls
    that raised, or that were a part of another trace, have none. Of many calls the first and the
    last are drawn. Raises `TypeError` if `f` is not a watched function.

    >>> from traced import watch
    >>> double = watch(lambda x: 2 * x)
    >>> _ = double(1.0), double(2.0)
    >>> show_calls(double)
    call           outcome  why
    <lambda>(1.0)  traced   first call
    <lambda>(2.0)  cached
    """
    if not isinstance(f, Watched):
        raise TypeError(f"`f` must be a function under `watch`, got {type(f).__name__}")
    timed = [call for call in f.calls if call.seconds]
    if not timed:
        return Picture(repr(f), f._repr_html_())
    strips = [_strip(call) for call in timed]
    if len(strips) > MOST:
        note = Strip(f"… {len(strips) - MOST} calls left out", ())
        strips[MOST // 2 : -MOST // 2] = [note]
    return draw_strips(strips, "milliseconds", "calls, to scale", repr(f), HUES)


def _strip(call: WatchedCall) -> Strip:
    taken = call.seconds
    assert taken is not None  # only calls that were timed are drawn
    sizes = zip(HUES, (taken.trace, taken.compile, taken.run), strict=True)
    parts = tuple((hue, 1000 * seconds) for hue, seconds in sizes if seconds)
    note = "from the cache" if call.outcome == CACHED else shortened(call.why, WIDEST)
    return Strip(call.text, parts, note)
