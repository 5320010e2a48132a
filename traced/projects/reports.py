"""The plugin for pytest: what `explain` says of an error of JAX stands below a test's traceback."""

from collections.abc import Generator

import pytest

from traced.course.explanation import explain, is_explained

TITLE = "explained by traced"


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Add to the report of a test, or of its setup, what an error of JAX that ended it means."""
    report = yield
    error = call.excinfo.value if call.excinfo else None
    if report.failed and error is not None and is_explained(error):
        report.sections.append((TITLE, str(explain(error))))
    return report
