"""Which files of tests are near a place of the sources: they name its function, import its file, or are called like it.

Nothing is run for it; distances are those in the graph of imports, which does not show what is imported by a name in a
registry: tests in a folder of the same name count as near, too.
"""

import ast
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from pathlib import Path

# What a test is nearer by that names the function or class of a place; one of the same file that uses it; whose own
# name has that of the file or its folder; that is in a folder of the same name.
NAMES_IT, NAMES_USER, NAMED_AFTER, SAME_FOLDER = 3, 2, 2, 2
FARTHEST = 4


class Nearest:
    """Ranks files of tests.

    Args:
        folder: The checkout.
        roots: The folders in it that are on Python's path; the tests are below the first.
        sources: Files of sources below it.
        tests: Files of tests below it.
    """

    def __init__(
        self, folder: Path, roots: Sequence[str], sources: Iterable[str], tests: Iterable[str]
    ) -> None:
        self._folder = folder
        self._roots = roots
        self._sources = list(sources)
        self._tests = list(tests)

    def of(self, path: str, offset: int) -> list[str]:
        """The files of tests near a place, the nearest first.

        Args:
            path: A source below the checkout.
            offset: In its text.
        """
        around = self._names_around(path, offset)
        names = {name.strip("_") for name in around}
        users = {name.strip("_") for name in self._users_in_file(path, around)} - names
        distances = self._distances(path)
        ranked = []
        source = Path(path)
        for test in self._tests:
            is_beside = bool(folders(source) & folders(Path(test)))
            if test in distances or is_beside:
                rank = distances.get(test, FARTHEST + 1) - SAME_FOLDER * is_beside
                rank -= NAMES_IT * len(names & self._names[test])
                rank -= NAMES_USER * bool(users & self._names[test])
                rank -= NAMED_AFTER * any(
                    name.rstrip("s") in Path(test).stem for name in (source.stem, source.parent.name)
                )
                ranked.append((rank, len(self._names[test]), test))
        return [test for _, _, test in sorted(ranked)]

    def using(self, path: str) -> set[str]:
        """A source, and all that import it, directly or not."""
        return set(self._distances(path, len(self._sources)))

    def _distances(self, path: str, farthest: int = FARTHEST) -> dict[str, int]:
        """How many imports lead from a file to the source."""
        found, ring = {path: 0}, {path}
        for distance in range(1, farthest + 1):
            ring = {user for file in ring for user in self._users.get(file, ())} - found.keys()
            found |= dict.fromkeys(ring, distance)
        return found

    def _names_around(self, path: str, offset: int) -> list[str]:
        """The functions and classes around a place."""
        text = (self._folder / path).read_text(encoding="utf-8")
        line = text.count("\n", 0, offset) + 1
        return [
            node.name
            for node in ast.walk(ast.parse(text))
            if isinstance(node, ast.FunctionDef | ast.ClassDef)
            and node.lineno <= line <= (node.end_lineno or line)
        ]

    def _users_in_file(self, path: str, names: Iterable[str]) -> set[str]:
        """The functions and classes of a file that use others, directly or not."""
        uses = {
            node.name: set(used(node))
            for node in ast.walk(self._tree(path))
            if isinstance(node, ast.FunctionDef | ast.ClassDef)
        }
        found = set(names)
        while (
            more := {user for user, theirs in uses.items() if theirs & {name.strip("_") for name in found}}
            - found
        ):
            found |= more
        return found

    @cached_property
    def _names(self) -> dict[str, set[str]]:
        """The names that each file of tests uses."""
        return {test: set(used(self._tree(test))) for test in self._tests}

    @cached_property
    def _users(self) -> dict[str, set[str]]:
        """The files that import a file."""
        users: dict[str, set[str]] = {}
        for file in (*self._sources, *self._tests):
            for name in imported(self._tree(file)):
                for root in self._roots:
                    for ending in (".py", "/__init__.py"):
                        whole = Path(root, name.replace(".", "/") + ending).as_posix()
                        users.setdefault(whole, set()).add(file)
        return users

    def _tree(self, file: str) -> ast.AST:
        return ast.parse((self._folder / file).read_text(encoding="utf-8"))


def folders(path: Path) -> set[str]:
    """The names of the folders that a file is in, without packages' prefix and those that all files are in."""
    return {part.removeprefix("pfsm_") for part in path.parts[:-1]} - {"pfsm", "tests"}


def used(tree: ast.AST) -> Iterator[str]:
    """Names, attributes and what is imported, without underscores around them."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Name):
            yield node.id.strip("_")
        elif isinstance(node, ast.Attribute):
            yield node.attr.strip("_")
        elif isinstance(node, ast.ImportFrom):
            yield from (alias.name.strip("_") for alias in node.names)


def imported(tree: ast.AST) -> Iterator[str]:
    """The modules that imports name, and what may be modules of a package."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)
