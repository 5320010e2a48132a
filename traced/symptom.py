"""A symptom: how an error reads, the rule behind it, and its page in the field guide."""

import tomllib
from dataclasses import dataclass
from functools import cache
from importlib.resources import files


@dataclass(frozen=True)
class Symptom:
    """One kind of error: its class by name, what its message contains, the rule, the page.

    `error` is the name of the class or of one that it inherits from. An empty `message` fits all.

    >>> symptom = Symptom("ZeroDivisionError", "by zero", "zero-division", "zero divides nothing")
    >>> symptom.fits(ZeroDivisionError("division by zero")), symptom.fits(ValueError("by zero"))
    (True, False)
    """

    error: str
    message: str
    page: str
    rule: str

    def fits(self, error: BaseException) -> bool:
        """Return whether `error` shows this symptom."""
        names = {kind.__name__ for kind in type(error).__mro__}
        return self.error in names and self.message in str(error)


@cache
def symptoms() -> tuple[Symptom, ...]:
    """Return every symptom that the field guide has a page on, particular ones before general ones.

    >>> len({symptom.page for symptom in symptoms()}) > 50
    True
    """
    table = tomllib.loads(files("traced").joinpath("symptoms.toml").read_text("utf-8"))
    return tuple(Symptom(**row) for row in table["symptom"])
