"""A compiler explorer for JAX: what each line of a function became in the jaxpr and in the HLO."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from html import escape
from typing import Any

from traced.probes.origins import Origins
from traced.probes.programs import Compiled, compile_whole
from traced.show.links import Labels, Linked, link_hlo, link_jaxpr, source_rows
from traced.show.panes import Pane, panes_html, panes_text
from traced.show.picture import framed

HOW = "Point at a line, or move the focus to it: what belongs to it lights up."


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

    def __init__(self, *views: View) -> None:
        self.views = views

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
        views = [view for other in others for view in self._views(other, None)]
        views += [view for name, other in named.items() for view in self._views(other, name)]
        return Exploration(*self.views, *views)

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
        """The panes: the source, each jaxpr, each HLO."""
        origins = [Origins(view.f) for view in self.views]
        pairs = list(zip(origins, self.views, strict=True))
        # The reader's functions that have a part in them are known after this.
        jaxprs = [link_jaxpr(view.compiled.jaxpr, each) for each, view in pairs]
        labels = Labels(passage for each in origins for passage in each.passages())
        panes = self._panes("jaxpr", "traced by JAX", jaxprs, labels)
        programs = [link_hlo(view.compiled.hlo) for view in self.views]
        panes += self._panes("optimised HLO", "left by XLA", programs, labels)
        used = {label for pane in panes for row in pane.rows for label in (*row.at, *row.within)}
        return [Pane("Python source", tuple(source_rows(labels, used, self._names()))), *panes]

    def _panes(
        self, what: str, whence: str, programs: list[list[Linked]], labels: Labels
    ) -> list[Pane]:
        names = [f" of {name}" for name in self._names()] if len(programs) > 1 else [""]
        return [
            Pane(f"{what}{name}, {whence}", tuple(map(labels.row, lines)))
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
        return "\n".join([*self.facts, "", panes_text(self.panes)])

    def _repr_html_(self) -> str:
        facts = "".join(f'<div style="margin:.2em 0">{escape(fact)}</div>' for fact in self.facts)
        how = f'<div style="margin:.2em 0 .5em;opacity:.8">{HOW}</div>'
        source, *others = self.panes
        half = len(others) // 2
        several = [[source], others[:half], others[half:]]
        return framed(facts + how + panes_html(several if half > 1 else [self.panes]))


def explore(f: Callable[..., Any], *args: Any, **kwargs: Any) -> Exploration:
    """Return the source, the jaxpr and the optimised HLO of `f` side by side, with lines linked.

    Beside each equation and each operation stands the line of Python that it came from. In HTML,
    pointing at a line lights up what it became, and what it came from. `f` is traced and compiled
    for this backend, and not run. Raises whatever `f` raises while it is traced.

    Nested jaxprs and fusions are folded, and long programs are cut, which is said. The bytes are
    those of arguments and results: what XLA estimates of the traffic inside differs between its
    releases. `.beside(gradient=jax.grad(f))` sets another function beside it.

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
    return Exploration(_view(f, args, kwargs))


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
    given = compiled.argument_bytes
    taken = "" if given is None else f"{_count(given, 'byte')} in, "
    return "; ".join([*parts, f"{taken}{_count(compiled.result_bytes, 'byte')} out"])


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'s' * (number != 1)}"
