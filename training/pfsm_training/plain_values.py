"""Checks of values that come from a YAML file."""

from pfsm.errors import PfsmError


def number(value: object, key: str, where: str, least: float, most: float, *, above: bool = False) -> float:
    """A number within bounds, or a `PfsmError` that names the key; ``above``: the least is excluded."""
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    if not is_number or not least <= value <= most or (above and value == least):  # type: ignore[operator]
        low = f"above {least:g} and at most {most:g}" if above else f"from {least:g} to {most:g}"
        raise PfsmError(f"{where}: {key} is {value!r}, it must be a number {low}")
    return float(value)  # type: ignore[arg-type]


def flag(value: object, key: str, where: str) -> bool:
    """True or false, or a `PfsmError` that names the key."""
    if not isinstance(value, bool):
        raise PfsmError(f"{where}: {key} is {value!r}, it must be true or false")
    return value


def whole(value: object, key: str, where: str, least: int) -> int:
    """A whole number from ``least``, or a `PfsmError` that names the key."""
    if not isinstance(value, int) or isinstance(value, bool) or value < least:
        raise PfsmError(f"{where}: {key} is {value!r}, it must be a whole number from {least}")
    return value
