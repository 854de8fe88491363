"""What scripts add by name, ``@pfsm.register.matcher("glossary")``, and how another process learns of it."""

import hashlib
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any, TypeVar

from pfsm import registry
from pfsm.errors import PfsmError
from pfsm.registry import KINDS, SCRIPT, Entry, given_resources, table

Value = TypeVar("Value")
_MAIN = ("__main__", "__mp_main__")


def _registration(kind: str, name: str) -> Callable[[Value], Value]:
    """Return what registers a class, function or object under a name; again from the same module, it replaces it.

    Raises:
        PfsmError: If the name is taken or left out, or the object lacks something.
    """
    if not isinstance(name, str):
        raise PfsmError(f'register.{kind} needs a name: write @pfsm.register.{kind}("NAME")')
    place = sys._getframe(1).f_globals  # noqa: SLF001 - the module that registers, whatever it registers
    package, version = _script(place)

    def register(value: Value) -> Value:
        known = table(kind)
        entry = Entry(kind, name, package, version, str(place.get("__name__")), lambda: value)
        other = known.plugin(name)
        if other is not None and other.package != package:
            raise PfsmError(f"{entry}: {other.origin} has one of this name already; choose another")
        known.loaded(entry)
        registry.scripts[kind, name] = entry
        return value

    return register


def _script(place: Mapping[str, Any]) -> tuple[str, str]:
    """The module that registers, and a checksum of its source where it has one."""
    name, file = str(place.get("__name__")), Path(place.get("__file__") or "")
    if name in _MAIN and file.name:
        # A worker process knows the script under another name: what it is called must not depend on that.
        name = file.stem
    source = file.read_bytes() if file.is_file() else b""
    return f"{SCRIPT}{name}", hashlib.sha256(source).hexdigest()[:8] if source else ""


@dataclass(frozen=True)
class Registered:
    """What scripts have registered, as it is sent to another process: plug-ins without objects; and resources."""

    entries: tuple[Entry, ...]
    resources: Mapping[str, str] = field(default_factory=dict)


def registered() -> Registered:
    """What scripts have registered in this process, for `restore` in another one."""
    return Registered(
        tuple(replace(one, load=object) for one in registry.scripts.values()), dict(given_resources)
    )


def restore(sent: Registered) -> None:
    """Makes another process's registrations known here; their modules are imported when they are asked for."""
    given_resources.update(sent.resources)
    for entry in sent.entries:
        registry.scripts.setdefault((entry.kind, entry.name), replace(entry, load=partial(_repeated, entry)))


def _repeated(sent: Entry) -> object:
    """Repeat a registration that another process sent, by importing the module that made it."""
    lazy = registry.scripts.pop((sent.kind, sent.name))
    fault = "it is the script or notebook itself"
    try:
        if sent.module not in _MAIN:
            fault = f"{sent.module} does not register it at its top level"
            import_module(sent.module)
    except ImportError as error:
        fault = str(error)
    entry = registry.scripts.setdefault((sent.kind, sent.name), lazy)
    if entry is lazy:
        raise PfsmError(
            f"{sent}: a worker process cannot repeat the registration ({fault}); register it in a module of its own"
        )
    if entry.origin != sent.origin:
        raise PfsmError(f"{sent}: a worker process has that of {entry.origin}; use the same")
    return entry.load()


class Register:
    """Registers things from a script: ``@pfsm.register.matcher("glossary")`` on a class, function or object."""

    def __getattr__(self, kind: str) -> Callable[[str], Callable[[Value], Value]]:
        if kind not in KINDS:
            raise AttributeError(kind)
        return partial(_registration, kind)


register = Register()
