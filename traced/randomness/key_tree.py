"""The tree of random keys as it is drawn: what is done to each key, and what of it again."""

import ast
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

from traced.drawing.crowd import few, gathered, span
from traced.python.places import Place
from traced.randomness.events import KeyEvent, KeyReuse
from traced.randomness.keys import KeyRecord

MOST = 40  # things drawn
DEEPEST = 4  # levels drawn

#: What is done to a key first and then, by `KeyReuse.how`.
STEPS = {
    "used twice": ("use", "use"),
    "used, then split": ("use", "split"),
    "split, then used": ("split", "use"),
    "split twice": ("split", "split"),
    "same key in every batch entry": ("use",),
    "same key in every step": ("use",),
}


@dataclass
class Act:
    """What is done to a key at a place: a draw, a split or a `fold_in`, with the keys it makes.

    `left_out` counts keys that are made and not drawn.
    """

    kind: str
    text: str
    place: Place | None
    note: str = ""
    count: int = 1
    made: list["Key"] = field(default_factory=list)
    left_out: int = 0
    reused: bool = False


@dataclass
class Key:
    """A key: what is done to it, and which of that again.

    `label` tells it from others made with it, and `given` is the name that its line gives it.
    `alike` counts the keys for which it stands, `left_out` what is done to it and not drawn.
    """

    name: str
    label: str
    given: str = ""
    in_loop: bool = False
    acts: list[Act] = field(default_factory=list)
    reuses: list[KeyReuse] = field(default_factory=list)
    alike: int = 1
    left_out: int = 0


@dataclass(frozen=True)
class KeyTree:
    """The keys that were made of no other, how many more there are, and reuses not drawn."""

    roots: list[Key]
    left_out: int
    lost: list[KeyReuse]


def key_tree(record: KeyRecord) -> KeyTree:
    """Return the tree of what was done to random keys, small enough to be drawn.

    >>> import jax
    >>> from traced.randomness.keys import record_keys
    >>> with record_keys() as record:
    ...     a, b = jax.random.split(jax.random.key(0))
    >>> [(root.label, [key.label for key in root.acts[0].made]) for root in key_tree(record).roots]
    [('key(0)', ['a', 'b'])]
    """
    keys: dict[str, Key] = {}
    below: set[str] = set()
    for event in record.events:
        for name in (*event.keys, *event.results):
            keys.setdefault(name, Key(name, name, in_loop=bool(_note(event))))
        _add(keys, below, event)
    lost = [reuse for reuse in record.reuses if not _mark(keys, reuse)]
    roots = [key for name, key in keys.items() if name not in below]
    for depth in range(DEEPEST, 0, -1):
        tree, left_out = few(_gathered([_cut(key, depth) for key in roots]), _is_faulty)
        if sum(map(_size, tree)) <= MOST:
            break
    drawn = {id(reuse) for key in _all_below(tree) for reuse in key.reuses}
    hidden = [each for key in _all_below(roots) for each in key.reuses if id(each) not in drawn]
    return KeyTree(tree, left_out, [*lost, *hidden])


def _add(keys: dict[str, Key], below: set[str], event: KeyEvent) -> None:
    if event.kind == "seed":
        return
    acts = {}
    for name in dict.fromkeys(event.keys):
        acts[name] = _act(keys[name], event)
    for i, (parent, child) in enumerate(event.links):
        # Two ways may lead to one key, as `fold_in(key, 1)` and `split(key)[1]`.
        if child not in below:
            below.add(child)
            keys[child].label = _label(event, i, parent, child)
            if event.kind == "fold_in" and event.place and len(event.results) == 1:
                keys[child].given = next(iter(names_in(event.place.source, event.kind)), "")
            acts[parent].made.append(keys[child])


def _act(key: Key, event: KeyEvent) -> Act:
    text, source = event.kind, event.place.source if event.place else ""
    if event.kind == "use":
        target = target_of(source)
        text = event.draw or "a draw"
        text = f"{text} → {target}" if target else text
    act = Act(event.kind, text, event.place, _note(event))
    # To fold data into a key is no other branch, wherever it is done.
    same = [each for each in key.acts if _is_same(each, act)]
    if same:
        same[0].count += 1
        return same[0]
    key.acts.append(act)
    return act


def _is_same(act: Act, other: Act) -> bool:
    if act.kind == other.kind == "fold_in":
        return act.note == other.note
    return (act.kind, act.text, act.place) == (other.kind, other.text, other.place)


def _note(event: KeyEvent) -> str:
    if not {"scan", "while"}.isdisjoint(event.within):
        return "in a loop"
    return "under vmap" if event.batched else ""


def _label(event: KeyEvent, i: int, parent: str, child: str) -> str:
    step = child.removeprefix(parent).removeprefix(f".{event.kind}")
    if event.kind == "fold_in":
        return step.rpartition("(")[2].removesuffix(")")
    if not child.startswith(parent):
        # What a loop makes of its keys is told by its place alone: names would grow.
        step = f"[{i % (len(event.results) // len(event.keys))}]"
    names = names_in(event.place.source, event.kind) if event.place else []
    if len(event.keys) == 1 and len(names) == len(event.results):
        return names[i]
    return names[0] + step if len(event.keys) == 1 and len(names) == 1 else step


def names_in(source: str, function: str) -> list[str]:
    """Return the names to which a line of code assigns what a function returns.

    >>> names_in("left, right = random.split(key)", "split"), names_in("return key", "split")
    (['left', 'right'], [])
    """
    statement = _assignment(source)
    if statement is None or not isinstance(statement.value, ast.Call):
        return []
    (target, *_) = statement.targets
    parts = target.elts if isinstance(target, ast.Tuple | ast.List) else [target]
    called = ast.unparse(statement.value.func).rpartition(".")[2]
    # What is starred takes as many as there are.
    is_known = called == function and not any(isinstance(part, ast.Starred) for part in parts)
    return [ast.unparse(part) for part in parts] if is_known else []


def target_of(source: str) -> str:
    """Return the one name to which a line of code assigns something, if it does.

    >>> target_of("w = 0.1 * random.normal(key)"), target_of("w, b = f(key)")
    ('w', '')
    """
    statement = _assignment(source)
    if statement is None or isinstance(statement.targets[0], ast.Tuple | ast.List):
        return ""
    return ast.unparse(statement.targets[0])


def _assignment(source: str) -> ast.Assign | None:
    # Without a blank before its sign it is an argument of a call that began further up.
    try:
        statements = ast.parse(source).body if " = " in source else []
    except (SyntaxError, ValueError):
        return None
    return next((each for each in statements if isinstance(each, ast.Assign)), None)


def _mark(keys: dict[str, Key], reuse: KeyReuse) -> bool:
    key = keys.get(reuse.key.partition(" = ")[0])
    if key is None:
        return False
    kinds, places = STEPS[reuse.how], (reuse.first, reuse.second)
    found: list[Act] = []
    for kind, place in zip(kinds, places, strict=False):
        fitting = [act for act in key.acts if act.kind == kind and act not in found]
        fitting.sort(key=lambda act: (not _is_at(act, place), bool(found) and act.reused))
        found += fitting[:1]
    if found and len(found) < len(kinds):
        # Both are at one line of one function, which was called twice.
        again = replace(found[0], made=[], place=reuse.second)
        key.acts.insert(_index(key.acts, found[0]) + 1, again)
        found.append(again)
    for act in found:
        act.reused = True
    key.reuses.append(reuse)
    return bool(found)


def _index(acts: Sequence[Act], act: Act) -> int:
    return next(i for i, each in enumerate(acts) if each is act)


def _is_at(act: Act, place: Place | None) -> bool:
    if act.place is None or place is None:
        return False
    return (act.place.file, act.place.line) == (place.file, place.line)


def _gathered(keys: Iterable[Key]) -> list[Key]:
    return gathered(keys, _look, _as_one)


def _look(key: Key) -> tuple[object, ...]:
    return (tuple(map(_look_of_act, key.acts)), id(key) if key.reuses else 0)


def _look_of_act(act: Act) -> tuple[object, ...]:
    # What is left out may be anything.
    unseen = id(act) if act.left_out else 0
    return act.kind, act.text, act.place, tuple(map(_look, act.made)), unseen


def _as_one(run: list[Key]) -> Key:
    return replace(run[0], label=span(run[0].label, run[-1].label), alike=len(run))


def _is_faulty(key: Key) -> bool:
    return any(each.reuses for each in _all_below([key]))


def _is_marked(act: Act) -> bool:
    return act.reused or any(map(_is_faulty, act.made))


def _cut(key: Key, depth: int) -> Key:
    acts, left_out = few([_cut_act(act, depth - 1) for act in key.acts], _is_marked)
    return replace(key, acts=acts, left_out=left_out)


def _cut_act(act: Act, depth: int) -> Act:
    if depth <= 0:
        return replace(act, made=[], left_out=len(_all_below(act.made)))
    made, left_out = few(_gathered([_cut(key, depth) for key in act.made]), _is_faulty)
    return replace(act, made=made, left_out=left_out)


def _all_below(keys: Sequence[Key]) -> list[Key]:
    # A loop that splits its key makes more levels than functions may call themselves.
    below = list(keys)
    for each in below:
        below += [made for act in each.acts for made in act.made]
    return below


def _size(key: Key) -> int:
    return 1 + sum(1 + sum(map(_size, act.made)) for act in key.acts)
