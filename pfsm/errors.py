"""The one exception for what a user can put right, and the one warning."""


class PfsmError(Exception):
    """Bad input. The message is one line: what is wrong, where, and what to do about it.

    The command line prints it as ``pfsm: MESSAGE`` and exits with status 2; no traceback is shown.
    Messages about a file begin with its name, then the line where there is one:
    ``data.tsv:17: score is 'n/a', a finite number is needed``.
    """


class PfsmWarning(UserWarning):
    """What a user should know before trusting a result. The message is one line, as of `PfsmError`.

    The command line prints it as ``pfsm: warning: MESSAGE``.
    """
