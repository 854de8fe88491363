"""The version of the distribution ``pfsm-metric``: pyproject.toml is its only home."""

from pfsm.installation import fault, installed_version

# Whatever computes or prints a score imports this module: nothing runs under another project's ``pfsm``.
if found := fault():
    raise ImportError(found, name="pfsm")

__version__ = installed_version()
