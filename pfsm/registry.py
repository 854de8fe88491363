"""Plug-ins: what pfsm can look up by name, and what other packages and scripts add to it.

Each kind of thing (matchers, metrics, …) has one `Table`. A name is looked up in four places, in this order:

1. what the core has: objects, or strings ``"module:NAME"`` that are imported when they are first asked for;
2. what the other packages of our own distribution offer as entry points of the group ``pfsm.matchers`` and so on: it
   comes with pfsm like the core's, and one of these packages that is not there offers nothing;
3. what a script has registered: ``@pfsm.register.matcher("glossary")``;
4. what installed packages of others offer as entry points of the same groups.

A table announces itself where it is made; an entry point ``pfsm.kinds`` leads to one that was not imported yet. Entry
points are read once, when a name is asked for that the core does not have. A plug-in is imported only when it is asked
for itself; no file names a module.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field, replace
from functools import cache
from importlib import import_module
from pathlib import Path
from traceback import walk_tb
from typing import TYPE_CHECKING, Any, TypeVar

from pfsm.errors import PfsmError

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

Item = TypeVar("Item")
Value = TypeVar("Value")

DISTRIBUTION = "pfsm-metric"
KINDS = (
    *("matcher", "metric", "feature", "analyser", "tokeniser", "stemmer", "format", "statistic"),
    *("constraint", "command", "page"),
)
"""What packages can add."""
PAGE = "`docs/extending.md`"
_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_+-]*")
SCRIPT = "module "


@dataclass(frozen=True, eq=False)
class Entry:
    """A plug-in that is known by name; it may not have been imported yet.

    Attributes:
        kind: What it is: ``matcher``.
        name: What settings and commands call it.
        package: Name of the distribution that provides it; of a script's registration, ``module`` and its module.
        version: Version of the distribution; of a module, 8 hex digits of the SHA-256 of its source.
        module: Where it is; of a script's registration, the module that can be imported to repeat it.
        load: Imports it, if need be.
        rival: Another package that has one of this kind and name.
    """

    kind: str
    name: str
    package: str
    version: str
    module: str
    load: Callable[[], object] = field(repr=False)
    rival: str = ""

    def __str__(self) -> str:
        """As messages call it."""
        return f"{self.kind} {self.name!r} of {self.origin}"

    @property
    def origin(self) -> str:
        """As model files have it: ``pfsm-glossary 0.1.0`` or ``module my_matchers 1f2e3d4c``."""
        return f"{self.package} {self.version}".rstrip()

    @property
    def label(self) -> str:
        """As signatures have it: ``pfsm-glossary@0.1.0``."""
        return f"{self.package.removeprefix(SCRIPT)}@{self.version}".rstrip("@")


def group(kind: str) -> str:
    """The group of entry points of a kind: ``pfsm.matchers``."""
    return f"pfsm.{kind}s"


def table(kind: str) -> "Table[Any]":
    """Return the table of a kind.

    Raises:
        PfsmError: If the package that has it is not there.
    """
    found = find_table(kind)
    if found is None:
        raise PfsmError(
            f"{kind}s need a package of {DISTRIBUTION} that this installation lacks; install it whole"
        )
    return found


def find_table(kind: str) -> "Table[Any] | None":
    """Return the table of a kind, imported if need be; None where the package that has it is not there."""
    if kind not in _tables and kind in own("kind"):
        _tables.setdefault(kind, own("kind")[kind].load())
    return _tables.get(kind)


def plugin(kind: str, name: str) -> "Entry | None":
    """Return the plug-in of a kind and name; None where there is none."""
    found = find_table(kind)
    return None if found is None else found.plugin(name)


def plugins(*kinds: str) -> list[Entry]:
    """Return all plug-ins of some kinds, by name, those included that cannot be used."""
    known = {**_installed(), **scripts}
    return [known[key] for kind in kinds for key in sorted(known) if key[0] == kind]


def origin_label(kind: str, name: str) -> str:
    """Package and version of a plug-in, as signatures have it; empty for what comes with pfsm."""
    entry = plugin(kind, name)
    return "" if entry is None else entry.label


@cache
def own(kind: str) -> dict[str, "EntryPoint"]:
    """Return what the other packages of our own distribution offer of a kind, by name."""
    from importlib.metadata import PackageNotFoundError, distribution  # noqa: PLC0415 - takes milliseconds
    from importlib.util import find_spec  # noqa: PLC0415

    try:
        points = distribution(DISTRIBUTION).entry_points.select(group=group(kind))
    except PackageNotFoundError:  # a checkout that was never installed
        return {}
    return {point.name: point for point in points if find_spec(_package(point.module)) is not None}


class Table(Mapping[str, Item]):
    """All things of one kind, by name.

    Args:
        kind: As a word of messages: ``matcher``.
        built_in: What the core has: objects, or where they are: ``"module:NAME"``.
        check: From the name and value of a plug-in to what the table holds; raises `PfsmError` with what the value
            lacks.
        taken: Whether a name is not for plug-ins for another reason than being built in.
        pinned: From a text of settings that names one of the kind to what a model keeps of it.
        tried: From a name and lines to a result for each line, for `pfsm.testing.check`; of kinds that the core lacks.
    """

    def __init__(
        self,
        kind: str,
        built_in: Mapping[str, Item | str],
        check: Callable[[str, Any], Item],
        taken: Callable[[str], bool] = lambda _: False,
        pinned: Callable[[str], str] = str,
        tried: Callable[[str, Sequence[str]], Sequence[object]] | None = None,
    ) -> None:
        self.kind = kind
        self.built_in = built_in
        self._check = check
        self._taken = taken
        self.pinned, self.tried = pinned, tried
        self._made: dict[str, Item] = {}
        self._plugged: dict[str, tuple[Entry, Item]] = {}
        _tables.setdefault(kind, self)

    def __contains__(self, name: object) -> bool:
        if not isinstance(name, str) or name in self.built_in:
            return isinstance(name, str)
        return not self._taken(name) and (name in own(self.kind) or self.plugin(name) is not None)

    def __iter__(self) -> Iterator[str]:
        """All names: what comes with pfsm first."""
        yield from self.built_in
        yield from own(self.kind)
        yield from (entry.name for entry in plugins(self.kind) if not self.is_taken(entry.name))

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def __getitem__(self, name: str) -> Item:
        """What has this name.

        Raises:
            PfsmError: If there is nothing of this name, or it is a plug-in that cannot be used.
        """
        if name not in self._made and (name in self.built_in or name in own(self.kind)):
            value = self.built_in[name] if name in self.built_in else own(self.kind)[name].load()
            if isinstance(value, str):
                module, _, attribute = value.partition(":")
                value = getattr(import_module(module), attribute)
            self._made[name] = value
        if name in self._made:
            return self._made[name]
        entry = self.plugin(name)
        if entry is None:
            raise PfsmError(f"no {self.kind} {name!r}; known are {', '.join(self)}")
        return self.loaded(entry)

    def get(self, name: str, default: Any = None, /) -> Any:
        """What has this name, or the default where nothing has it.

        Raises:
            PfsmError: If it is a plug-in that cannot be used.
        """
        return self[name] if name in self else default  # noqa: SIM401 - this is it

    def is_taken(self, name: str) -> bool:
        """Whether the name is not for plug-ins."""
        return name in self.built_in or self._taken(name) or name in own(self.kind)

    def plugin(self, name: str) -> Entry | None:
        """The plug-in of this name; None where there is none, or the name is not for plug-ins."""
        if self.is_taken(name):
            return None
        return scripts.get((self.kind, name)) or _installed().get((self.kind, name))

    def label(self, name: str) -> str:
        """The name as signatures have it: ``word``, but ``glossary(pfsm-glossary@0.1.0)``."""
        entry = self.plugin(name)
        return name if entry is None else f"{name}({entry.label})"

    def loaded(self, entry: Entry) -> Item:
        """A plug-in, imported and checked.

        Raises:
            PfsmError: If it cannot be used.
        """
        allowed = _allowed.get()
        if allowed is not None and (self.kind, entry.name) not in allowed:
            raise PfsmError(
                f"names the {entry}, which is not in the file's list of plug-ins; train the model again"
            )
        known = self._plugged.get(entry.name)
        if known is None or known[0] is not entry:
            known = self._plugged[entry.name] = (entry, self._admitted(entry))
        return known[1]

    def _admitted(self, entry: Entry) -> Item:
        if entry.rival:
            rivals = f"{entry.origin} and {entry.rival}"
            raise PfsmError(f"{self.kind} {entry.name!r}: {rivals} have one each; uninstall all but one")
        if self.is_taken(entry.name):
            raise PfsmError(f"{entry}: the name is one of pfsm's own; its author must choose another")
        if not _NAME.fullmatch(entry.name):
            raise PfsmError(f"{entry}: a name is made of letters, digits, - and _, and begins with a letter")
        try:
            value = entry.load()
        except PfsmError:
            raise
        except (Exception, SystemExit) as error:  # whatever its module does when it is imported
            line = str(error).partition("\n")[0]
            raise PfsmError(f"{entry}: cannot be imported ({type(error).__name__}: {line})") from None
        _at_work[_package(entry.module)] = entry.origin
        try:
            return self._check(entry.name, value)
        except PfsmError as error:
            raise PfsmError(f"{entry}: {error}; see {PAGE}") from None


@cache
def _installed() -> dict[tuple[str, str], Entry]:
    """What installed packages of others offer, by kind and name."""
    from importlib.metadata import entry_points  # noqa: PLC0415 - only where a name is not pfsm's own

    known: dict[tuple[str, str], Entry] = {}
    everything = entry_points()
    for kind in KINDS:
        for point in everything.select(group=group(kind)):
            dist = point.dist  # none of a point that is made by hand
            package, version = (point.module, "") if dist is None else (dist.name, dist.version)
            if package != DISTRIBUTION:
                found = Entry(kind, point.name, package, version, point.module, point.load)
                first = known.setdefault((kind, point.name), found)
                if first is not found:
                    known[kind, point.name] = replace(first, rival=found.origin)
    return known


def fault_of_plugin(error: BaseException) -> str | None:
    """Return one line about an exception that the module of a plug-in let through; None if there was none."""
    for frame, line in reversed(list(walk_tb(error.__traceback__))):
        origin = _at_work.get(_package(str(frame.f_globals.get("__name__"))))
        if origin is not None:
            said = f"{type(error).__name__}: {' '.join(str(error).split())}"
            place = f"{Path(frame.f_code.co_filename).name}, line {line}"
            advice = "its author must mend it, --verbose shows the calls"
            return f"{origin} has failed ({said}; {place}); {advice}"
    return None


@contextmanager
def only_plugins(needed: Iterable[tuple[str, str]]) -> Iterator[None]:
    """Refuse all plug-ins in the block but these, given by kind and name: a file imports no other."""
    token = _allowed.set(frozenset(needed))
    try:
        yield
    finally:
        _allowed.reset(token)


def _package(module: str) -> str:
    return module.partition(".")[0]


def reread() -> None:
    """Reads entry points again: packages were installed while this process ran."""
    own.cache_clear()
    _installed.cache_clear()


# By kind; of several tables of one kind the first.
_tables: dict[str, "Table[Any]"] = {}
scripts: dict[tuple[str, str], Entry] = {}
# Resources that the user has given to this process, by name (`pfsm.io.named_resources`).
given_resources: dict[str, str] = {}
# While a model file is read, the plug-ins that it lists, by kind and name.
_allowed: ContextVar[frozenset[tuple[str, str]] | None] = ContextVar("_allowed", default=None)
# Who provides the plug-ins that have been imported, by the package of their modules.
_at_work: dict[str, str] = {}
