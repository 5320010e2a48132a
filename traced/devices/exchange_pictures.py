"""What the devices of a `shard_map` have before and after, and whose numbers they use."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np

from traced.devices.exchange import Exchange, find_exchange
from traced.drawing.outline import Branch, outline
from traced.drawing.picture import Picture, telling
from traced.drawing.shapes import Shape, arrow, box, dot, draw, label, width_of
from traced.python.values import shortened

ROW, APART, LINES, NOTE = 34, 26, 84, 18
WIDEST = 22  # characters of the numbers of a device
MOST = 3  # numbers; of more, the first and the last are shown


@telling
def show_exchange(f: Callable[[Any], Any] | Mapping[str, Callable[[Any], Any]], x: Any) -> Picture:
    """Return what each device has before and after `f`, with a line from each that it needs.

    `f` is what one device does in a `jax.shard_map`, or a dictionary of several such functions. `x`
    is an array of floats that is cut along the one axis of its mesh. A line says that the result
    becomes NaN where the numbers of that device do. Raises `TypeError` for another `x`.

    >>> import jax
    >>> import jax.numpy as jnp
    >>> mesh = jax.make_mesh((1,), ("data",))
    >>> x = jax.device_put(jnp.ones(2), jax.NamedSharding(mesh, jax.P("data")))
    >>> show_exchange(jnp.sum, x)
    device  before   after  from
    0       1.0 1.0  2.0    itself
    """
    given = {getattr(f, "__name__", "f"): f} if callable(f) else dict(f)
    found = {name: find_exchange(each, x) for name, each in given.items()}
    before = [_numbers(each) for each in next(iter(found.values())).before]
    alone = len(found) == 1
    head = ["device", "before"]
    for name in found:
        head += ["after", "from"] if alone else [name, "from"]
    rows = [
        Branch(
            str(device),
            ((before[device], *(text for each in found.values() for text in _said(each, device))),),
        )
        for device in range(len(before))
    ]
    caption = f"what each device has before and after {', '.join(found)}"
    notes = _notes(next(iter(found.values()))) if alone else []
    twin = outline(head, rows, caption, notes)
    title = "" if not alone else f"{next(iter(found))}: each device before and after"
    return draw(_shapes(found, before, notes), caption, twin, title=title)


def _notes(exchange: Exchange) -> list[str]:
    """Say in words what the lines of one function come to, where there are several devices."""
    count = len(exchange.before)
    if count == 1:
        return []
    others = [set(at) - {device} for device, at in enumerate(exchange.sources)]
    if not any(others):
        told = "no device uses the numbers of another"
    elif all(len(at) == count for at in exchange.sources):
        told = f"every device uses the numbers of all {count}"
    else:
        told = "lines lead from the numbers that are used"
    first, *rest = exchange.after
    alike = all(np.array_equal(first, each, equal_nan=True) for each in rest)
    return [told, *["all end with the same numbers"] * alike]


def _numbers(value: Any) -> str:
    texts = [f"{each:.3g}" if each % 1 else f"{each:.1f}" for each in np.ravel(value)]
    shown = [texts[0], "…", texts[-1]] if len(texts) > MOST else texts
    return shortened(" ".join(shown), WIDEST)


def _said(exchange: Exchange, device: int) -> tuple[str, str]:
    sources = exchange.sources[device]
    count = len(exchange.before)
    if not sources:
        told = "none"
    elif sources == (device,):
        told = "itself"
    elif len(sources) == count:
        told = f"all {count}"
    else:
        told = ", ".join(map(str, sources))
    return _numbers(exchange.after[device]), told


def _shapes(found: Mapping[str, Exchange], before: list[str], notes: list[str]) -> Iterator[Shape]:
    count, alone = len(before), len(found) == 1
    heights = [ROW * device for device in range(count)]
    for i, note in enumerate(notes):
        yield label(0, heights[-1] + ROW + NOTE * i, note, sans=True, bold=True, size=12)
    x = 0.0
    for device, y in enumerate(heights):
        yield label(x, y, str(device), muted=True)
    yield label(x, -APART, "device", sans=True, muted=True, size=11)
    x += width_of("device", 11, sans=True) + 10
    width = max(box(0, 0, text).right for text in before)
    yield label(x, -APART, "before", sans=True, muted=True, size=11)
    for text, y in zip(before, heights, strict=True):
        yield box(x, y, text, hue="blue", width=width)
    x += width
    for i, (name, exchange) in enumerate(found.items()):
        if i:
            # Each function begins with what there was before, and not with the result beside it.
            x += 40
            for device, y in enumerate(heights):
                yield label(x, y, str(device), anchor="end", muted=True)
        yield from _lines(exchange, x + 10, heights)
        x += 20 + LINES
        texts = [_numbers(each) for each in exchange.after]
        width = max(box(0, 0, text).right for text in texts)
        width = max(width, 0 if alone else width_of(name))
        yield label(
            x, -APART, "after" if alone else name, sans=alone, muted=alone, size=11 if alone else 13
        )
        for text, y in zip(texts, heights, strict=True):
            yield box(x, y, text, hue="teal", width=width)
        x += width


def _lines(exchange: Exchange, x: float, heights: list[int]) -> Iterator[Shape]:
    """Yield a line from each source to each result; from a device to itself it is grey."""
    own = [(device, device) for device, at in enumerate(exchange.sources) if device in at]
    sent = [
        (source, device)
        for device, at in enumerate(exchange.sources)
        for source in at
        if source != device
    ]
    for source, device in own:
        yield arrow((x, heights[source]), (x + LINES, heights[device]), thick=1.2)
    for source, device in sent:
        yield arrow((x, heights[source]), (x + LINES, heights[device]), hue="purple", thick=1.2)
    for y in heights:
        yield dot(x, y, radius=2.5)
