"""A compiler explorer for JAX: what each line of a function became in the jaxpr and in the HLO."""

import math
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from html import escape
from typing import Any

from traced.drawing.lines import LEFT_OUT, MOST
from traced.drawing.panes import Pane, flat_rows, panes_html, panes_text
from traced.drawing.picture import framed
from traced.internals.canary import CouldNotTell
from traced.programs.links import Labels, Linked, link_hlo, link_jaxpr, link_stablehlo, source_rows
from traced.programs.origins import Origins
from traced.programs.stages import Compiled, compile_whole

HOW = "Point at a line, tap it, or move the focus to it: what belongs to it lights up."
CUT = "Of these programs not all is shown: `.whole` has the rest."

#: Characters of HTML that a picture has at most, whatever the program.
LARGEST = 280_000

#: How often it is tried with fewer lines.
TRIALS = 6


@dataclass(frozen=True)
class View:
    """A function at some arguments: what it is called, and what became of it."""

    name: str
    f: Callable[..., Any]
    args: tuple[Any, ...]
    kwargs: Mapping[str, Any]
    compiled: Compiled


class Exploration:
    """One function or several, each with its jaxpr and HLO; made by `explore`."""

    def __init__(
        self,
        *views: View,
        unseen: CouldNotTell | None = None,
        largest: float = LARGEST,
        lowered: bool = False,
    ) -> None:
        self.views, self.unseen, self.largest, self.lowered = views, unseen, largest, lowered

    @property
    def whole(self) -> "Exploration":
        """The picture with all lines, however large it becomes."""
        return self._with(largest=math.inf)

    @property
    def with_stablehlo(self) -> "Exploration":
        """The picture with what JAX hands to XLA, between the jaxpr and what XLA leaves of it.

        >>> import jax.numpy as jnp
        >>> picture = explore(jnp.sin, jnp.ones(3)).with_stablehlo
        >>> [pane.title for pane in picture.panes][2]
        'StableHLO, handed to XLA'
        """
        return self._with(lowered=True)

    def _with(self, **changed: Any) -> "Exploration":
        kept = {"unseen": self.unseen, "largest": self.largest, "lowered": self.lowered}
        return Exploration(*self.views, **{**kept, **changed})

    def beside(self, *others: Any, **named: Any) -> "Exploration":
        """Return the picture of this function with others beside it, under the names given.

        Another one is a function, which gets the same arguments, or what `explore` returned.

        >>> import jax
        >>> def cube(x):
        ...     return x * x * x
        >>> both = explore(cube, 2.0).beside(slope=jax.grad(cube))
        >>> [view.name for view in both.views]
        ['cube', 'slope']
        """
        if self.unseen:
            return self
        views = [view for other in others for view in self._views(other, None)]
        views += [view for name, other in named.items() for view in self._views(other, name)]
        return Exploration(*self.views, *views, lowered=self.lowered)

    def _views(self, other: Any, name: str | None) -> tuple[View, ...]:
        if isinstance(other, Exploration):
            return tuple(replace(view, name=name or view.name) for view in other.views)
        if not callable(other):
            what = f"`{name}`" if name else "what stands beside"
            kind = type(other).__name__
            raise TypeError(f"{what} must be a callable or an exploration, got {kind}")
        first = self.views[0]
        return (_view(other, first.args, first.kwargs, name),)

    @cached_property
    def panes(self) -> list[Pane]:
        """The panes: the source, each jaxpr, each HLO, as far as a page has room for them."""
        return self._fitting[0]

    @cached_property
    def _fitting(self) -> tuple[list[Pane], str]:
        most = MOST if self.largest < math.inf else sys.maxsize
        for _ in range(TRIALS):
            panes = self._cut_panes(most)
            html = panes_html(_shelves(panes, self.views))
            size = len(html.encode())
            if size <= self.largest:
                break
            longest = max(sum(1 for _ in flat_rows(pane.rows)) for pane in panes)
            most = max(1, int(min(most, longest) * 0.9 * self.largest / size))
        return panes, html

    def _cut_panes(self, most: int) -> list[Pane]:
        origins = [Origins(view.f) for view in self.views]
        pairs = list(zip(origins, self.views, strict=True))
        # The reader's functions that have a part in them are known after this.
        jaxprs = [link_jaxpr(view.compiled.jaxpr, each, most) for each, view in pairs]
        labels = Labels(passage for each in origins for passage in each.passages())
        panes = self._panes("jaxpr", "traced by JAX", jaxprs, labels)
        programs = [link_hlo(view.compiled.hlo, most) for view in self.views]
        if self.lowered:
            handed = [link_stablehlo(view.compiled.lowered, most) for view in self.views]
            panes += self._panes("StableHLO", "handed to XLA", handed, labels)
        panes += self._panes("optimised HLO", "left by XLA", programs, labels)
        used = {label for pane in panes for row in pane.rows for label in (*row.at, *row.within)}
        return [Pane("Python source", tuple(source_rows(labels, used, self._names()))), *panes]

    def _panes(
        self, what: str, whence: str, programs: list[list[Linked]], labels: Labels
    ) -> list[Pane]:
        names = [f" of {name}" for name in self._names()] if len(programs) > 1 else [""]
        return [
            Pane(f"{what}{name}, {whence}", labels.rows(lines))
            for name, lines in zip(names, programs, strict=True)
        ]

    def _names(self) -> list[str]:
        names = [view.name for view in self.views]
        if len(set(names)) < len(names):
            return [f"{name} ({number})" for number, name in enumerate(names, start=1)]
        return names

    @property
    def facts(self) -> list[str]:
        """What changed hands, in a sentence for each function."""
        pairs = zip(self._names(), self.views, strict=True)
        return [f"{name}: {_facts(view.compiled)}" for name, view in pairs]

    def __repr__(self) -> str:
        try:
            return str(self.unseen or "\n".join([*self._said, "", panes_text(self.panes)]))
        except CouldNotTell as unseen:
            return str(unseen)

    def _repr_html_(self) -> str:
        try:
            return self._html()
        except CouldNotTell as unseen:
            return framed(f"<p>{escape(str(unseen))}</p>")

    def _html(self) -> str:
        if self.unseen:
            raise self.unseen
        facts = "".join(f'<div style="margin:.2em 0">{escape(fact)}</div>' for fact in self._said)
        how = f'<div style="margin:.2em 0 .5em;opacity:.8">{HOW}</div>'
        return framed(facts + how + self._fitting[1], wide=True)

    @property
    def _said(self) -> list[str]:
        rows = (row for pane in self.panes for row in flat_rows(pane.rows))
        is_cut = any(LEFT_OUT in row.text for row in rows)
        return [*self.facts, *([CUT] if is_cut else [])]


def _shelves(panes: list[Pane], views: Sequence[View]) -> list[list[Pane]]:
    source, *others = panes
    if len(views) == 1:
        return [panes] if len(panes) <= 3 else [panes[:2], panes[2:]]
    rows = [others[at : at + len(views)] for at in range(0, len(others), len(views))]
    return [[source], *rows]


def explore(f: Callable[..., Any], *args: Any, **kwargs: Any) -> Exploration:
    """Return the source, the jaxpr and the optimised HLO of `f` side by side, with lines linked.

    Beside each equation and each operation stands the line of Python that it came from. In HTML,
    pointing at a line lights up what it became, and what it came from. `f` is traced and compiled
    for this backend, and not run. Raises whatever `f` raises while it is traced.

    Nested jaxprs and fusions are folded, and long programs are cut, which is said: a picture has at
    most 300 kB, and `.whole` has all lines. `.with_stablehlo` shows what JAX hands to XLA as well,
    and `.beside(gradient=jax.grad(f))` sets another function beside it. The bytes are those of
    arguments and results: what XLA estimates of the traffic inside differs between its releases.

    >>> import jax.numpy as jnp
    >>> def slope(x):
    ...     return 2 * x + 1
    >>> text = str(explore(slope, jnp.ones(3)))
    >>> print(text[text.index("jaxpr") :])
    jaxpr, traced by JAX
       { lambda ; a:f32[3]. let
    2      b:f32[3] = mul 2.0:f32[] a
    2      c:f32[3] = add b 1.0:f32[]
         in (c,) }
    <BLANKLINE>
    optimised HLO, left by XLA
       ENTRY (x: f32[3]) -> f32[3]
    2    ROOT broadcast_add_fusion = f32[3] fusion(x)
    2      mul = f32[3] multiply(x, broadcast(2))
    2      ROOT add = f32[3] add(mul, broadcast(1))
    """
    try:
        return Exploration(_view(f, args, kwargs))
    except CouldNotTell as unseen:
        return Exploration(unseen=unseen)


def _view(
    f: Callable[..., Any], args: tuple[Any, ...], kwargs: Mapping[str, Any], name: str | None = None
) -> View:
    compiled = compile_whole(f, *args, **kwargs)
    own = str(getattr(f, "__name__", type(f).__name__))
    return View(name or own, f, args, kwargs, compiled)


def _facts(compiled: Compiled) -> str:
    operations = _count(compiled.operations.total(), "operation")
    parts = [
        f"{_count(compiled.equations, 'equation')} traced",
        f"{operations} and {_count(compiled.fusions, 'fusion')} left",
    ]
    if compiled.flops is not None:
        parts.append(_count(compiled.flops, "flop"))
    moved = {"in": compiled.argument_bytes, "out": compiled.result_bytes}
    told = [f"{_count(size, 'byte')} {way}" for way, size in moved.items() if size is not None]
    facts = "; ".join([*parts, *([", ".join(told)] if told else [])])
    return facts + (f", on each of {compiled.devices} devices" if compiled.devices > 1 else "")


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'s' * (number != 1)}"
