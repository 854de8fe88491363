"""The exceptions for what a user can put right, and the warnings."""

from collections.abc import Iterable, Sequence

from pfsm.installation import install_command


class PfsmError(Exception):
    """Bad input. The message is one line: what is wrong, where, and what to do about it.

    The command line prints it as ``pfsm: MESSAGE`` and exits with status 2; no traceback is shown.
    Messages about a file begin with its name, then the line where there is one:
    ``data.tsv:17: score is 'n/a', a finite number is needed``.
    """


class NotInstalledError(PfsmError):
    """Something that is not installed. The message ends with the one command that installs it.

    Attributes:
        missing: What is missing, as people call it.
        extras: Extras of pfsm-metric that bring it.
        packages: Further packages that bring it.

    Args:
        what: The message up to the command.
        missing: See the attribute.
        extras: See the attribute.
        packages: See the attribute.
        after: What the message says after the command.
    """

    def __init__(
        self,
        what: str,
        missing: Sequence[str],
        extras: Sequence[str] = (),
        packages: Sequence[str] = (),
        after: str = "",
    ) -> None:
        super().__init__(f"{what}; {install_command(extras, packages)}{after}")
        self.missing = tuple(missing)
        self.extras = tuple(extras)
        self.packages = tuple(packages)
        self._given = (what, self.missing, self.extras, self.packages, after)

    def __reduce__(self) -> tuple[type["NotInstalledError"], tuple[object, ...]]:
        """A worker process sends it as it is."""
        return type(self), self._given


def all_missing(what: str, errors: Iterable[NotInstalledError]) -> NotInstalledError:
    """One error for several: everything that is missing, and the one command that installs it all.

    Args:
        what: What needs it, such as ``model en``.
        errors: At least one.
    """
    found = list(errors)
    missing = list(dict.fromkeys(name for error in found for name in error.missing))
    be = "is" if len(missing) == 1 else "are"
    return NotInstalledError(
        f"{what} needs {' and '.join(filter(None, (', '.join(missing[:-1]), missing[-1])))}, which {be} not installed",
        missing,
        [extra for error in found for extra in error.extras],
        [package for error in found for package in error.packages],
    )


class PfsmWarning(UserWarning):
    """What a user should know before trusting a result. The message is one line, as of `PfsmError`.

    The command line prints it as ``pfsm: warning: MESSAGE``.
    """


class PfsmNote(PfsmWarning):
    """What was done, as the format or the size of the input asks: it casts no doubt on the result.

    The command line prints it as ``pfsm: note: MESSAGE``; ``--strict`` does not refuse it.
    """


class MismatchWarning(PfsmWarning):
    """Outputs and references do not look like those of the same segments (`pfsm.text.mismatch`)."""
