"""An error that is only known from the text of its traceback, explained."""

from traced.command.refusal import Refusal
from traced.course.explanation import explain
from traced.course.pasted import read_error
from traced.findings.reading import file_to_read


def explain_text(text: str) -> str:
    """Return what `explain` says of the error in a text, and where its page lies here.

    Raises `Refusal` if there is no error in the text.
    """
    error = read_error(text)
    if error is None:
        raise Refusal("the text has no error of Python in it: paste the traceback to its last line")
    said = str(explain(error))
    page = file_to_read(said)
    # In a terminal it is named already.
    return f"{said}\npage: {page}" if page and "\npage: " not in said else said
