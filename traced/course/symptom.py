"""A symptom: how an error reads, the rule behind it, and its page in the field guide."""

import re
import tomllib
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from traced.python.origin import libraries_of


@dataclass(frozen=True)
class Symptom:
    """One kind of error: its library, its class by name, what its message contains, page, rule.

    `library` is where the error is raised, or whose objects it is about. `error` is the name of the
    class or of one that it inherits from. An empty `message` fits all, and `…` stands for any text.

    >>> symptom = Symptom("jax", "TypeError", "at least one", "no-arrays", "something is stacked")
    >>> symptom.fits(TypeError("at least one is needed"))  # which nothing of JAX has raised
    False
    """

    library: str
    error: str
    message: str
    page: str
    rule: str

    def reads(self, error: BaseException) -> bool:
        """Return whether `error` reads like this symptom, wherever it was raised."""
        names = {kind.__name__ for kind in type(error).__mro__}
        # What XLA reports is a `ValueError` if the function has been called before.
        if type(error) is ValueError and _KIND_OF_XLA.match(str(error)):
            names.add("JaxRuntimeError")
        return self.error in names and self.says(str(error))

    def says(self, message: str) -> bool:
        """Return whether a message contains what this symptom's does."""
        return bool(_pattern(self.message).search(message))

    def fits(self, error: BaseException) -> bool:
        """Return whether `error` shows this symptom."""
        return self.reads(error) and self.library in libraries_of(error)


#: How a message of XLA begins, such as "INTERNAL: " and "RESOURCE_EXHAUSTED: ".
_KIND_OF_XLA = re.compile("[A-Z]+(_[A-Z]+)*: ")


@cache
def _pattern(message: str) -> re.Pattern[str]:
    return re.compile(".*".join(map(re.escape, message.split(" … "))), re.DOTALL)


@cache
def symptoms() -> tuple[Symptom, ...]:
    """Return every symptom that the field guide has a page on, particular ones before general ones.

    >>> len({symptom.page for symptom in symptoms()}) > 50
    True
    """
    table = tomllib.loads(files("traced.course").joinpath("symptoms.toml").read_text("utf-8"))
    return tuple(Symptom(library, **row) for library, rows in table.items() for row in rows)
