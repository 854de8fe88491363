"""The version of the distribution ``pfsm-metric``: pyproject.toml is its only home."""

from pfsm_installation import check, installed_version

# Whatever computes or prints a score imports this module: nothing runs under another project's ``pfsm``.
check()

__version__ = installed_version()
