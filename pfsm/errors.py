"""The one exception for what a user can put right: bad files, bad settings, bad values."""


class PfsmError(Exception):
    """Bad input. The message is one line: what is wrong, where, and what to do about it.

    The command line prints it as ``pfsm: MESSAGE`` and exits with status 2; no traceback is shown.
    Messages about a file begin with its name, then the line where there is one:
    ``data.tsv:17: score is 'n/a', a finite number is needed``.
    """
