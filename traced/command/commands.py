"""The commands of `jax-traced`: what each takes, and what it says."""

import sys
from pathlib import Path
from typing import Any

import click

from traced.command.refusal import Refusal
from traced.command.working_copy import Changes, WorkingCopy, find_lesson

#: Where the lessons are put if the reader names no folder.
USUAL_FOLDER = "jax-traced-lessons"
#: More names than these are counted.
LISTED = 5


class Commands(click.Group):
    """A group of commands whose refusals are one line and a status of 1."""

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command that was named."""
        try:
            return super().invoke(ctx)
        except Refusal as refusal:
            click.echo(f"jax-traced: {refusal}", err=True)
            ctx.exit(1)


folder_argument = click.argument("folder", type=click.Path(path_type=Path), required=False)


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="jax-traced")
def jax_traced() -> None:
    """An interactive course on how JAX thinks, with exercises that are checked on the trace."""


@jax_traced.command()
@folder_argument
@click.option("--port", type=click.IntRange(1, 65535), help="Where JupyterLab listens.")
@click.option("--no-lab", is_flag=True, help="Bring the lessons up to date, and open nothing.")
def learn(folder: Path | None, port: int | None, no_lab: bool) -> None:
    """Put the lessons into FOLDER, and open them in JupyterLab.

    A FOLDER that has them is brought up to date. What you have changed stays as it is: a newer
    lesson is put beside it. Without FOLDER it is the copy in this folder, or else
    `jax-traced-lessons`. Ctrl-C ends JupyterLab.
    """
    from traced.command.lab import open_lab, require_lab

    copy = WorkingCopy(folder or usual_folder())
    welcome = bring_up_to_date(copy)
    if not no_lab:
        require_lab(copy.folder, port)
    click.echo(welcome, nl=bool(welcome))
    lesson = copy.last_opened()
    # Before JupyterLab takes the terminal, and in a pipe too.
    click.echo(f"Open {copy.folder / lesson}" + ("" if no_lab else "; Ctrl-C ends JupyterLab."))
    sys.stdout.flush()
    if not no_lab:
        open_lab(copy.folder, lesson, port)


@jax_traced.command()
@click.argument("journals", type=click.Path(path_type=Path), nargs=-1)
def progress(journals: tuple[Path, ...]) -> None:
    """Show which exercises have been tried, and which have passed.

    With JOURNALS, the files that the progress of others is kept in, it has a line for each.
    """
    from traced.lessons.progress import show_progress

    if journals:
        tell_journals(journals)
    else:
        click.echo(str(show_progress()))


@jax_traced.command()
@click.argument("lesson", required=False)
@folder_argument
@click.option("--all", "every", is_flag=True, help="Give every lesson anew.")
def reset(lesson: str | None, folder: Path | None, every: bool) -> None:
    """Give LESSON anew, and keep yours under another name.

    LESSON is such as 02_tracing, or 02. With `--all`, the first argument is the folder.
    """
    if every:
        folder = folder or (Path(lesson) if lesson else None)
    elif lesson is None:
        raise click.UsageError("which lesson? Name one, such as 02_tracing, or use --all")
    copy = WorkingCopy(folder or usual_folder())
    if not copy.exists():
        raise Refusal(f"{copy.folder} has no lessons: `jax-traced learn` puts them there")
    lessons = copy.changed() if every else [find_lesson(lesson or "")]
    for each in lessons:
        kept = copy.reset(each)
        click.echo(f"{each} is as it was given" + (f"; yours is {kept}" if kept else ""))
    if not lessons:
        click.echo("every lesson is as it was given")


@jax_traced.command()
@click.argument("file", type=click.Path(path_type=Path, allow_dash=True))
def explain(file: Path) -> None:
    """Explain the traceback in FILE, or one that is pasted.

    `-` reads what is pasted. It names the line, the rule and the page of the field guide.
    """
    from traced.command.explaining import explain_text

    if str(file) == "-" and sys.stdin.isatty():
        click.echo("Paste the traceback, then press Ctrl-D on a line of its own.", err=True)
    click.echo(explain_text(read_text(file)))


@jax_traced.command()
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--exercise", help="Which one, where FILE has several: NAME, or LESSON.NAME.")
@click.option("--hint", type=click.IntRange(1, 3), help="Give a hint as well: 1, 2 or 3.")
def check(file: Path, exercise: str | None, hint: int | None) -> None:
    """Check the exercises that FILE has, a Python file.

    It defines what they ask for, under their names. The status is 0 if all of them passed.
    """
    from traced.command.answers import check_file

    if str(file) == "-":
        raise Refusal("check needs a file, whose lines it quotes: save the answer, and name it")
    read_text(file)
    outcomes = check_file(file, exercise, hint or 0)
    for asked, feedback in outcomes:
        click.echo(str(feedback))
        if hint and feedback.state != "passed":
            click.echo(str(asked.hint(hint)).partition("\nmore: ")[0])
    if any(feedback.state != "passed" for _, feedback in outcomes):
        click.get_current_context().exit(1)


@jax_traced.command()
@folder_argument
def watch(folder: Path | None) -> None:
    """Take the course in this terminal.

    Each exercise is a file, which is checked whenever it is saved. Lines that you type are
    commands: h for a hint, s for a solution, l for the list of exercises. It goes on where it was
    when you left. Ctrl-C ends it.
    """
    from traced.command.terminal_course import take_course

    copy = WorkingCopy(folder or usual_folder())
    welcome = bring_up_to_date(copy)
    click.echo(welcome, nl=bool(welcome))
    take_course(copy)


def tell_journals(journals: tuple[Path, ...]) -> None:
    """Say how many exercises have passed by each journal, and which were tried without that."""
    from traced.course.journal import states

    for file in journals:
        read_text(file)
        best = states(file=file)
        tried = [f"{lesson}.{name}" for (lesson, name), state in best.items() if state != "passed"]
        more = f", not yet: {', '.join(tried)}" if tried else ""
        click.echo(f"{file.stem}: {len(best) - len(tried)} passed{more}")


def usual_folder() -> Path:
    """Return the folder of the copy that the reader means who names none."""
    here = Path()
    return here if WorkingCopy(here).exists() else Path(USUAL_FOLDER)


def read_text(file: Path) -> str:
    """Return the text of a file, or what is pasted for `-`; raises `Refusal` for anything else."""
    try:
        data = sys.stdin.buffer.read() if str(file) == "-" else file.read_bytes()
        text = data.decode()
    except UnicodeDecodeError:
        raise Refusal(f"{file} is not text") from None
    except OSError as error:
        raise Refusal(f"{file} cannot be read: {(error.strerror or str(error)).lower()}") from None
    if "\0" in text:
        raise Refusal(f"{file} is not text")
    return text


def bring_up_to_date(copy: WorkingCopy) -> str:
    """Bring a copy up to date and say what changed; return the line that welcomes to a new one."""
    is_new = not copy.exists()
    changes = copy.bring_up_to_date()
    if is_new:
        return f"The lessons are in {copy.folder}: what you do there is yours."
    tell_changes(changes)
    return ""


def tell_changes(changes: Changes) -> None:
    """Say what was put into a copy, and what was put beside the reader's own."""
    for word, names in (("new", changes.added), ("renewed", changes.renewed)):
        if names:
            more = f" and {len(names) - LISTED} more" if len(names) > LISTED else ""
            click.echo(f"{word}: {', '.join(names[:LISTED])}{more}")
    for name, beside in changes.beside.items():
        click.echo(f"{name} is as you left it; the new one is beside it: {beside}")
