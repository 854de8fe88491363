"""External parsers: spaCy if it is installed, and any program that writes CoNLL-U or brackets."""

import hashlib
import re
import shlex
import shutil
import subprocess
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cached_property
from importlib import import_module
from importlib.metadata import PackageNotFoundError
from importlib.metadata import version as version_of
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from pfsm.errors import NotInstalledError, PfsmError
from pfsm.io.files import content_checksum, decode, is_file, one_line, read_bytes, split_lines
from pfsm_linguistics.analysis.alignment import EMPTY, LineFinder, put_on_lines
from pfsm_linguistics.analysis.clause_files import is_clause_text, read_clauses
from pfsm_linguistics.analysis.conllu import NOTHING, analyses_of, parse_conllu
from pfsm_linguistics.analysis.constituents import TOP, BracketedSentence, parse_brackets
from pfsm_linguistics.analysis.heads import head_dependencies
from pfsm_linguistics.analysis.role_files import is_propbank, read_propbank
from pfsm_linguistics.analysis.sentence import ROOT_LABEL, Analysis, DependencyTree, unparsed
from pfsm_linguistics.analysis.wanted import Wanted

# The outermost label of brackets that hold the words of a sentence whose parse failed, and what parsers write for a
# sentence without any of its words.
NO_PARSE = "NOPARSE"
# A tree of an n-best list: the logarithm of its probability, a space, its brackets.
_LISTED = re.compile(r"(-?[0-9]+(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?) +(\(.*\))\s*")
_WITHOUT_WORDS = re.compile(r"[\s()]*")


def parsed_text(text: Sequence[str], source: str) -> list[Analysis]:
    """Analyses from lines of CoNLL-U, of PropBank's roles over UD, or of Penn-style trees in brackets.

    Brackets around no words, as in ``(())``, are skipped: a parser that failed writes them. Trees of the same words on
    lines that follow each other, each after the logarithm of its probability and a space, are an n-best list.

    Raises:
        PfsmError: If the lines are in neither format.
    """
    if is_clause_text(next((line for line in text if line.strip()), "")):
        return read_clauses(text, source)
    if not is_bracketed(text):
        propbank = is_propbank(text)
        found = read_propbank(text, source) if propbank else analyses_of(parse_conllu(text, source))
        if all(one.frames is None for one in found):
            return found
        # A text that gives roles of any sentence gives those of all: a sentence without any has no predicate.
        return [replace(one, frames=()) if one.frames is None and not one.is_failed else one for one in found]
    found = []
    for number, line in enumerate(text, 1):
        listed = _LISTED.fullmatch(line)
        if _WITHOUT_WORDS.fullmatch(line):
            # The next tree begins another list, even of the same words.
            found.append(EMPTY)
            continue
        one = bracketed_analysis(parse_brackets(listed[2] if listed else line, f"{source}:{number}"))
        if listed is None or not one.constituents:
            found.append(one)
        else:
            _add_listed(found, float(listed[1]), one)
    return [one for one in found if one.tokens]


def is_bracketed(text: Sequence[str]) -> bool:
    """Whether lines hold trees in brackets, to judge by the first."""
    first = next((line for line in text if line.strip()), "")
    return first.lstrip().startswith("(") or _LISTED.fullmatch(first) is not None


def _add_listed(found: list[Analysis], log_probability: float, one: Analysis) -> None:
    """Adds a tree to the list that the last analysis has, or begins another."""
    tree = replace(head_dependencies(one.constituents), log_probability=log_probability)
    last = found[-1] if found else EMPTY
    if not last.headed or last.tokens != one.tokens:
        found.append(replace(one, headed=(tree,)))
        return
    # Lists need not be sorted; the sort is stable.
    headed = tuple(sorted((*last.headed, tree), key=lambda each: -each.log_probability))
    found[-1] = replace(one if headed[0] is tree else last, headed=headed)


def bracketed_analysis(sentence: BracketedSentence) -> Analysis:
    """A bracketed tree as an analysis, with its tags.

    Words under `NO_PARSE` alone have no tree; they have tags, unless these are ``_``.
    """
    tree = sentence.tree
    tags = tuple("" if node.label == NOTHING else node.label for node in tree.nodes() if node.is_leaf)
    outermost = tree.children[0] if tree.label == TOP and len(tree.children) == 1 else tree
    trees = () if outermost.label == NO_PARSE else (tree,)
    return Analysis(sentence.words, (0,), (), tags if any(tags) else (), constituents=trees)


class FileAnalyser:
    """Analyses from files of CoNLL-U or brackets, found by the characters of the line.

    Raises:
        PfsmError: If the file cannot be read.
    """

    def __init__(self, path: str) -> None:
        content = read_bytes(path)
        self.label = f"file:{Path(path).name}@{content_checksum(content)[:8]}"
        self._path = path
        self._finder = LineFinder(parsed_text(split_lines(decode(content, path)), path))

    def analyse(self, lines: Sequence[str], wanted: Wanted) -> list[Analysis]:
        """The analyses of lines.

        Raises:
            PfsmError: If the file lacks a line, unless ``wanted.gaps``.
        """
        return [self._analysis(line, wanted.gaps) for line in lines]

    def _analysis(self, line: str, gaps: bool) -> Analysis:
        found = self._finder.find(line)
        if found is not None:
            return found
        if gaps:
            return unparsed(line)
        shown = line if len(line) <= 60 else f"{line[:57]}..."
        raise PfsmError(
            f"{self._path}: has no analysis of {shown!r}; add its sentences to the file, without a tree if their "
            "parse failed, or let the metric back off, as in hwcm_b"
        )


class CommandAnalyser:
    """A program that reads lines from standard input and writes CoNLL-U, or one bracketed tree per sentence.

    Raises:
        PfsmError: If there is no such program.
    """

    def __init__(self, command: str) -> None:
        try:
            self._words = shlex.split(command)
        except ValueError as error:
            raise PfsmError(f"command {command!r}: cannot be read ({error})") from None
        program = shutil.which(self._words[0]) if self._words else None
        if program is None:
            raise PfsmError(f"command {command!r}: no such program; give its path")
        self._command = command
        digest = hashlib.sha256(Path(program).read_bytes())
        for word in self._words[1:]:
            digest.update(Path(word).read_bytes() if is_file(word) else f"\0{word}\0".encode())
        self.label = f"command:{command}@{digest.hexdigest()[:8]}"

    def analyse(self, lines: Sequence[str], wanted: Wanted) -> list[Analysis]:
        """The analyses of lines.

        Raises:
            PfsmError: If the program fails, or its output is in neither format or does not belong to these lines;
                with ``wanted.gaps`` it may lack lines.
        """
        text = "".join(f"{one_line(line)}\n" for line in lines)
        try:
            done = subprocess.run(
                self._words, input=text.encode("utf-8", "backslashreplace"), capture_output=True, check=False
            )
        except OSError as error:
            raise PfsmError(f"command {self._command!r}: cannot be run ({error.strerror})") from None
        if done.returncode:
            said = done.stderr.decode("utf-8", "replace").strip().splitlines()
            raise PfsmError(
                f"command {self._command!r}: ended with status {done.returncode}{': ' + said[-1] if said else ''}"
            )
        source = f"output of {self._command!r}"
        found = parsed_text(split_lines(decode(done.stdout, source)), source)
        return put_on_lines(found, lines, source, gaps=wanted.gaps)


class SpacyAnalyser:
    """An installed pipeline of spaCy, or one in a folder: its tags and its tree, no probabilities.

    It is known by a digest of its files and the version of spaCy, and loaded when the first line is analysed.

    Raises:
        PfsmError: If spaCy or the pipeline is not installed.
    """

    def __init__(self, name: str) -> None:
        try:
            version = version_of("spacy")
        except PackageNotFoundError:
            raise NotInstalledError("spacy is not installed", ["spacy"], packages=["spacy"]) from None
        self._name = name
        # A package is found, not imported.
        package = find_spec(name) if name.isidentifier() and not Path(name).is_dir() else None
        folders = (package.submodule_search_locations or []) if package else [name]
        if not folders or not Path(folders[0]).is_dir():
            raise PfsmError(
                f"spacy:{name}: cannot be loaded (no such folder or package); install the pipeline"
            )
        self.label = f"spacy:{Path(name).name}-{version}@{_digest(folders[0], version)}"

    @cached_property
    def _pipeline(self) -> Callable[[str], Any]:
        try:
            loaded: Callable[[str], Any] = import_module("spacy").load(self._name)
        except (OSError, ValueError) as error:
            # spaCy's message about a faulty configuration begins with empty lines.
            said = next(filter(str.strip, str(error).splitlines()), type(error).__name__)
            raise PfsmError(
                f"spacy:{self._name}: cannot be loaded ({said}); install or correct the pipeline"
            ) from None
        return loaded

    def analyse(self, lines: Sequence[str], wanted: Wanted) -> list[Analysis]:  # noqa: ARG002
        """The analyses of lines.

        Raises:
            PfsmError: If the pipeline cannot be loaded.
        """
        return [_of_document(self._pipeline(line)) for line in lines]


def _of_document(document: Any) -> Analysis:
    """The analysis of a spaCy document; tokens of white space are left out and their dependents move up."""
    words = [token for token in document if not token.is_space]
    if not words:
        return EMPTY
    numbers = {token.i: number for number, token in enumerate(words, 1)}
    trees: tuple[DependencyTree, ...] = ()
    starts: tuple[int, ...] = (0,)
    if document.has_annotation("DEP"):
        heads = tuple(_head(token, numbers) for token in words)
        rows = zip(words, heads, strict=True)
        labels = tuple(ROOT_LABEL if head == 0 else token.dep_ for token, head in rows)
        trees = (DependencyTree(heads, labels),)
        firsts = [token.sent.start for token in words]
        starts = tuple(k for k, first in enumerate(firsts) if k == 0 or first != firsts[k - 1])
    upos, xpos = (
        tags if any(tags) else ()
        for tags in (tuple(token.pos_ for token in words), tuple(token.tag_ for token in words))
    )
    return Analysis(tuple(token.text for token in words), starts, upos, xpos, trees)


def _head(token: Any, numbers: dict[int, int]) -> int:
    head = token.head
    while head.i not in numbers and head.head.i != head.i:
        head = head.head
    return 0 if head.i == token.i else numbers.get(head.i, 0)


def _digest(folder: str | Path, version: str) -> str:
    """Of the names and contents of a folder's files and of the version of what reads them: 8 hexadecimal digits."""
    whole = hashlib.sha256(version.encode())
    # Python writes what it compiled beside a package's modules.
    paths = [path for path in Path(folder).rglob("*") if path.is_file() and path.suffix != ".pyc"]
    for path in sorted(paths, key=lambda path: path.relative_to(folder).as_posix()):
        with path.open("rb") as file:
            content = hashlib.file_digest(file, "sha256").digest()
        whole.update(path.relative_to(folder).as_posix().encode("utf-8", "surrogateescape") + b"\0" + content)
    return whole.hexdigest()[:8]
