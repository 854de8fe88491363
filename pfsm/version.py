"""The version, read from the installed package's metadata: pyproject.toml is its only home."""

from importlib.metadata import PackageNotFoundError, version

try:
    __version__ = version("pfsm")
except PackageNotFoundError:  # a checkout on the path that was never installed
    __version__ = "0+unknown"
