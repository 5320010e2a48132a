"""An error that is only known from the text of its traceback, explained."""

from traced.command.refusal import Refusal
from traced.course.explanation import errors_behind, explain, find_first_symptom
from traced.course.pasted import read_error
from traced.python.course_files import course_file


def explain_text(text: str) -> str:
    """Return what `explain` says of the error in a text, and where its page lies here.

    Raises `Refusal` if there is no error in the text.
    """
    error = read_error(text)
    if error is None:
        raise Refusal("the text has no error of Python in it: paste the traceback to its last line")
    said = str(explain(error))
    for each in (error, *errors_behind(error)):
        if symptom := find_first_symptom(each):
            return f"{said}\npage: {course_file(f'docs/guide/errors/{symptom.page}.md')}"
    return said
