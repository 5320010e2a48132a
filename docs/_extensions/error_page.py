"""Give the page for errors the rows of `explain()`, as a script: it works without a server.

The rows come from the package itself. What a traceback says of a class is its name only, so the
classes that it inherits from, and the library it is of, are added.
"""

import builtins
import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx

PAGE = "docs/error"
INDEX = "docs/guide/index"
#: What stands in the place of a form, and which template has the form.
PLACE = "<!-- form -->"
FORMS = {PAGE: "explain.html", INDEX: "narrow.html"}
FOLDER = "docs/guide/errors/"
#: Where in a library an error was raised, by what the line of a traceback with its file shows.
PLACES = (
    ("flax.scan", "flax", r"\bscan_wrapper\b"),
    ("flax.replace", "flax", r"\breplace\b"),
    ("flax.bridge", "flax", r"\bbridge\W\w+\.py"),
    ("flax.pool", "flax", r"\bpool\b"),
    ("flax.cell", "flax", r"\brecurrent\.py\b"),
    ("flax.optimizer", "flax", r"\boptimizer\.py\b"),
    ("optax.loss", "optax", r"\blosses\W\w+\.py"),
    ("jax.attention", "jax|flax", r"\bdot_product_attention\b"),
)
#: Functions of JAX that end no recursion, since they work out each side of a choice.
BRANCHES = r"\b(?:cond|switch|select|where|while_loop|fori_loop)\("
#: By which words of a text the libraries are named.
NAMES = (
    ("jax", r"\b(jax|jnp|f?lax|nnx)\b"),
    ("flax", r"\b(flax|nnx)\b"),
    ("optax", r"\boptax\b"),
    ("orbax", r"\b(orbax|ocp)\b"),
)
#: Functions of JAX that are often called without a module before them.
TRANSFORMS = (
    *("jit", "grad", "vmap", "scan", "cond", "switch"),
    *("fori_loop", "while_loop", "shard_map"),
)
#: What no table of functions has, and the reader's last line shows as well.
SHOWN = {
    "jax.at": r"\.at\[.*\]\.\w+\(",
    "jax.random": r"\b(?:random|jr)\.\w|=\s*\w*key\w*\s*(?:\n|$)",
    "jax.draw": r"\brandom\.\w+\(",
    "jax.argnums": r"\bargnums=",
    "jax.static": r"\bstatic_argnums=",
    "flax.init": r"\.(?:init|init_with_output|apply)\(",
    "flax.param": r"\.param\(",
    "flax.step": r"\boptimi[sz]er\.step\(",
}


def export(titles: Mapping[str, str]) -> str:
    """Return the script with the rows whose pages have `titles`, and what is known of classes."""
    from traced.course.pasted import CAUSE, CONTEXT
    from traced.course.symptom import symptoms
    from traced.python.origin import CLASSES_OF_JAX, LIBRARIES

    shown = [each for each in symptoms() if each.page in titles]
    # Hundreds of rows share a page or a rule: each is written once, and put in its places on load.
    pages, rules = list(titles), list(dict.fromkeys(each.rule for each in shown))
    rows = [
        (each.library, each.error, each.message, pages.index(each.page), rules.index(each.rule))
        for each in shown
    ]
    named = {each.error for each in shown}
    kinds: dict[str, Any] = {}
    for kind in errors():
        bases = [each.__name__ for each in kind.__mro__[1:] if each.__name__ in named]
        kinds.setdefault(kind.__name__, {"bases": bases, "library": library_of(kind)})
    table = {
        "rows": rows,
        "rules": rules,
        "kinds": kinds,
        "titles": dict(titles),
        "classes": classes(),
    }
    table |= {
        "cause": CAUSE,
        "context": CONTEXT,
        "branches": BRANCHES,
        "names": NAMES,
        "transforms": TRANSFORMS,
        "calls": calls(),
        "places": PLACES,
        "libraries": LIBRARIES,
        "classes_of_jax": CLASSES_OF_JAX.pattern,
    }
    return (
        f"const SYMPTOMS = {json.dumps(table, ensure_ascii=False, separators=(',', ':'))};\n"
        "for (const row of SYMPTOMS.rows) {\n"
        "  row.splice(3, 2, Object.keys(SYMPTOMS.titles)[row[3]], SYMPTOMS.rules[row[4]]);\n"
        "}\n"
    )


def errors() -> Iterator[type[BaseException]]:
    """Yield each class of error that is there once all libraries are imported."""
    import flax.errors
    import jax.errors
    import numpy.exceptions
    import optax  # noqa: F401  # what it imports has errors of its own
    import orbax.checkpoint  # noqa: F401

    own = (flax.errors, jax.errors, numpy.exceptions, builtins)
    todo: list[type[BaseException]] = [Exception]
    seen = {Exception}
    while todo:
        kind = todo.pop(0)
        named = any(getattr(module, kind.__name__, None) is kind for module in own)
        if named or library_of(kind):
            yield kind
        new = [each for each in kind.__subclasses__() if each not in seen]
        seen.update(new)
        todo += new


def library_of(kind: type) -> str:
    """Return the library that a class is of, or nothing."""
    from traced.python.origin import library_of_module

    return next(library_of_module(kind.__module__), "")


def classes() -> dict[str, str]:
    """Name the library of each public class: of an object, a message names only its class."""
    import optax
    from flax import nnx

    public = {**vars(optax), **vars(nnx)}
    return {
        name: library_of(each)
        for name, each in sorted(public.items())
        if isinstance(each, type) and library_of(each) in ("flax", "optax")
    }


def calls() -> dict[str, str]:
    """Return for each kind of place how a line of code calls one of its functions, as a pattern."""
    import jax
    from flax import nnx

    from traced.python.origin import AXES, CALLED

    homes = (jax, jax.lax, jax.nn, jax.numpy, jax.random, jax.tree, jax.tree_util, jax.debug, nnx)

    def written(function: Any) -> str:
        home, name = next(
            (home.__name__.rpartition(".")[2], name)
            for home in homes
            for name, each in vars(home).items()
            if each is function
        )
        # A name that Python has as well says nothing without its module.
        home = "(?:jnp|numpy)" if home == "numpy" else home
        return rf"{home}\.{name}" if hasattr(builtins, name) or hasattr(str, name) else name

    named = {kind: map(written, functions) for kind, functions in CALLED.items()}
    patterns = {kind: rf"\b(?:{'|'.join(names)})\(" for kind, names in named.items()}
    return patterns | SHOWN | {"jax.axis": rf"\.(?:{'|'.join(AXES)})\("}


def write_symptoms(app: Sphinx, error: Exception | None) -> None:
    """Write the script that the page for errors loads."""
    if error is None and app.builder.format == "html" and PAGE in app.env.found_docs:
        pages = [each for each in app.env.found_docs if each.startswith(FOLDER)]
        titles = {each.removeprefix(FOLDER): app.env.titles[each].astext() for each in pages}
        Path(app.outdir, "_static/symptoms.js").write_text(export(titles), "utf-8")


def load(app: Sphinx, page: str, template: str, context: dict[str, Any], _: nodes.document) -> None:
    """Give the page for errors and the index of the guide their forms, with the scripts of these.

    The pages themselves have a comment in their place: JupyterLab would show a form as its source.
    """
    if page in FORMS:
        form = app.builder.templates.render(FORMS[page], context)
        context["body"] = context["body"].replace(PLACE, form)
    if page == PAGE:
        # They are written last, so that no checksum can be part of their address.
        for script in ("symptoms.js", "explain.js"):
            app.add_js_file(script, loading_method="defer")
    if page == INDEX:
        app.add_js_file("narrow.js", loading_method="defer")


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the extension with Sphinx."""
    app.connect("html-page-context", load)
    app.connect("build-finished", write_symptoms)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
