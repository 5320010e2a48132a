"""A program with a transform of NNX beside the same program by hand, and what both change."""

from collections.abc import Iterator, Mapping, Sequence
from difflib import SequenceMatcher
from typing import TYPE_CHECKING

from traced.drawing.picture import Picture, table, telling
from traced.drawing.shapes import Shape, around, bar, box, draw, label, width_of

if TYPE_CHECKING:
    from traced.modules.by_hand import Pair

# Flax is imported where it is needed: whoever draws other pictures need not wait for it.

ALIKE = 0.6  # of two lines that stand in one row; 1 is equal
LINE, GAP = 20, 28  # pixels: from one line of code to the next, and between columns
#: A line of both programs, and whether it is the same in them; empty where one has no line.
Row = tuple[str, str, bool]


@telling
def show_by_hand(transform: str) -> Picture:
    """Return a program with `nnx.` and that transform beside the same program without it.

    By hand, the module is split, the transform of JAX is run on its state, and the module is
    updated. Lines that differ are marked. Below is what each returns and changes when it is run,
    in graph mode and in tree mode. Raises `ValueError` for a transform that has no programs here;
    there are `jit`, `grad`, `vjp`, `jvp`, `custom_vjp`, `remat`, `vmap`, `pmap`, `shard_map`,
    `scan`, `cond`, `switch`, `fori_loop` and `while_loop`.

    >>> str(show_by_hand("grad")).splitlines()[-2]
    'result          3.0      3.0         ✗ raises TypeError'
    """
    from traced.modules.by_hand import compare_by_hand

    pair = compare_by_hand(transform)
    rows = list(_rows(pair.with_nnx, pair.by_hand))
    caption = f"nnx.{transform}, and the same by hand"
    code = [("" if same else "≠", left, right) for left, right, same in rows]
    facts = list(_facts(pair))
    tables = (
        table(("≠", f"with nnx.{transform}", "by hand"), code, caption),
        table(("when it is run", *pair.seen), facts, "what each returns and changes"),
    )
    twin = Picture(
        "\n\n".join(each.text for each in tables), "".join(each.html or "" for each in tables)
    )
    return draw(_drawn(transform, rows, list(pair.seen), facts), caption, twin, title=caption)


def _rows(left: Sequence[str], right: Sequence[str]) -> Iterator[Row]:
    """Yield the lines side by side: those that are most alike in one row, the others alone."""
    pairs = [(i, j) for i in range(len(left)) for j in range(len(right))]
    alike = {pair: _likeness(left[pair[0]], right[pair[1]]) for pair in pairs}
    best = max(pairs, key=alike.__getitem__, default=None)
    if best is None or alike[best] < ALIKE:
        yield from ((line, "", False) for line in left)
        yield from (("", line, False) for line in right)
        return
    i, j = best
    yield from _rows(left[:i], right[:j])
    yield left[i], right[j], left[i] == right[j]
    yield from _rows(left[i + 1 :], right[j + 1 :])


def _likeness(left: str, right: str) -> float:
    """Return how much two lines have in common, of both and of the shorter one; 1 is equal."""
    matcher = SequenceMatcher(None, left, right, autojunk=False)
    common = sum(each.size for each in matcher.get_matching_blocks())
    return (matcher.ratio() + common / min(len(left), len(right))) / 2


def _facts(pair: "Pair") -> Iterator[tuple[str, ...]]:
    """Yield a row for the result and for each Variable that changed: what each way has there."""
    by_hand, *_ = pair.seen.values()
    for name, wanted in by_hand.items():
        yield name, *(_fact(name, wanted, found) for found in pair.seen.values())


def _fact(name: str, wanted: str, found: Mapping[str, str]) -> str:
    if error := found.get("raises"):
        return f"✗ raises {error}" if name == "result" else ""
    got = found.get(name, "as before")
    return got if got == wanted else f"✗ {got}"


def _drawn(
    transform: str, rows: Sequence[Row], ways: Sequence[str], facts: Sequence[tuple[str, ...]]
) -> Iterator[Shape]:
    columns = [row[0] for row in rows], [row[1] for row in rows]
    widths = [max(map(width_of, column)) + 12 for column in columns]
    xs = [0.0, widths[0] + GAP]
    for x, title in zip(xs, (f"with nnx.{transform}", "by hand"), strict=True):
        yield label(x, 0, title, sans=True, muted=True)
    for number, (left, right, same) in enumerate(rows, start=1):
        y = number * LINE + 4.0
        for x, width, text, hue in zip(xs, widths, (left, right), ("amber", "teal"), strict=True):
            if text and not same:
                yield bar(x - 6, y, width, hue=hue, height=LINE)
            if text:
                yield label(x, y, text)
    yield from _drawn_facts(len(rows) * LINE + 60.0, ways, facts)


def _drawn_facts(
    top: float, ways: Sequence[str], facts: Sequence[tuple[str, ...]]
) -> Iterator[Shape]:
    yield label(0, top, "when it is run", sans=True, muted=True)
    names = [label(0, top + 32 * i, row[0]) for i, row in enumerate(facts, start=1)]
    yield from names
    x = max(width_of("when it is run"), around(names).right) + GAP
    for number, way in enumerate(ways, start=1):
        texts = [row[number] for row in facts]
        sizes = [width_of(way, sans=True), *(box(0, 0, text).right for text in texts if text)]
        yield label(x, top, way, sans=True, muted=True)
        for i, text in enumerate(texts, start=1):
            lost = text.startswith("✗")
            if text:
                yield box(x, top + 32 * i, text, hue="red" if lost else "grey", gone=lost)
        x += max(sizes) + GAP
