"""Which tests may be skipped where all of them should run: ``PFSM_ALL_TESTS=1``, as continuous integration sets it.

Every other skip fails the run and is listed, so that a package that is missing hides no test.
"""

import os
import re

import pytest

EVERYTHING = "PFSM_ALL_TESTS"
# Set by whoever could not get a browser, and has said so.
NO_BROWSER = "PFSM_NO_BROWSER"
ALLOWED = (
    # File systems and systems that some machines lack.
    r"this system has no such file names",
    # A large extra, for networks of one's own.
    r"the package transformers is not installed",
    # What takes long runs every night.
    r"make fuzz",
    # Interpreted kernels are another run of the tests.
    r"need compiled kernels",
)
_BROWSER = r"no Chromium here"


def is_allowed(reason: str) -> bool:
    """Whether a test may be skipped for this reason."""
    allowed = (*ALLOWED, *([_BROWSER] if os.environ.get(NO_BROWSER) else []))
    return any(re.search(one, reason) for one in allowed)


class Skips:
    """A plug-in of pytest: gathers skips, and fails the run where one is not allowed."""

    def __init__(self) -> None:
        self.found: dict[str, str] = {}

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.skipped and not hasattr(report, "wasxfail"):
            self._add(report.nodeid, report.longrepr)

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        if report.skipped:
            self._add(report.nodeid, report.longrepr)

    def _add(self, name: str, text: object) -> None:
        reason = str(text[2] if isinstance(text, tuple) else text).removeprefix("Skipped: ")
        if not is_allowed(reason):
            self.found[name] = reason

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        if self.found and session.exitstatus in {pytest.ExitCode.OK, pytest.ExitCode.NO_TESTS_COLLECTED}:
            session.exitstatus = pytest.ExitCode.TESTS_FAILED

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        if self.found:
            terminalreporter.section("skipped, but should run (tests/skips.py)", red=True)
            for name, reason in sorted(self.found.items()):
                terminalreporter.line(f"{name}: {reason}")


def pytest_configure(config: pytest.Config) -> None:
    """Watches skips where all tests should run."""
    if os.environ.get(EVERYTHING):
        config.pluginmanager.register(Skips(), "pfsm-skips")
