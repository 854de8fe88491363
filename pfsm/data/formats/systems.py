"""Outputs of systems: which file belongs to which system, although files and judgments name systems differently."""

import re
from collections.abc import Iterable, Sequence
from pathlib import Path

from pfsm.data.fields import shown
from pfsm.data.formats.texts import SegmentTexts, check_parallel, segments_of
from pfsm.errors import PfsmError
from pfsm.io.faults import reading_explained

_SUFFIXES = frozenset({"gz", "txt", "sgm", "sgml", "xml"})
_TEST_SET = re.compile(r"[A-Za-z_-]*test[A-Za-z_-]*[0-9]{2,4}[A-Za-z0-9_-]*", re.IGNORECASE)
_PAIR = re.compile(r"[a-z]{2}-[a-z]{2}")


def system_name(text: str, source_lang: str = "", target_lang: str = "") -> str:
    """A system's own name, extracted from the name of a file or an identifier of WMT.

    Test set, language pair, ``hyp`` and suffixes are removed: ``newstest2013.cs-en.cu-zeman.2710``,
    ``newstest2016.online-A.0.cs-en`` and ``newstest2021.cs-en.hyp.Online-B.en`` are ``cu-zeman.2710``, ``online-A.0``
    and ``Online-B``.
    """
    parts = text.split(".")
    while len(parts) > 1 and parts[-1].lower() in _SUFFIXES:
        parts.pop()
    if len(parts) > 1 and _TEST_SET.fullmatch(parts[0]):
        del parts[0]
    for end in (0, -1):
        if len(parts) > 1 and _is_pair(parts[end], source_lang, target_lang):
            del parts[end]
    if len(parts) > 1 and parts[0] == "hyp":
        del parts[0]
        if len(parts) > 1 and parts[-1] == (target_lang or parts[-1]):
            parts.pop()
    return ".".join(parts)


def _is_pair(part: str, source_lang: str, target_lang: str) -> bool:
    if source_lang and target_lang:
        return part == f"{source_lang}-{target_lang}"
    return _PAIR.fullmatch(part) is not None


def set_name_of(identifier: str) -> str:
    """The test set at the beginning of a system's identifier; ``""`` if there is none."""
    first, dot, _ = identifier.partition(".")
    return first if dot and _TEST_SET.fullmatch(first) else ""


class SystemOutputs:
    """The outputs of systems on a test set, read when asked for."""

    def __init__(
        self, entries: Iterable[str], texts: SegmentTexts, source_lang: str = "", target_lang: str = ""
    ) -> None:
        """Finds the files.

        Args:
            entries: files, folders of files, or ``NAME=FILE``.
            texts: the texts that the outputs must be parallel to.
            source_lang: source language of the outputs; files of other language pairs in folders are skipped.
            target_lang: target language of the outputs, used in the same way.

        Raises:
            PfsmError: no entries, an empty or missing folder, or two files of one system.
        """
        self._texts = texts
        self._pair = (source_lang, target_lang)
        self._paths: dict[str, str] = {}
        self._loaded: dict[str, tuple[str, ...]] = {}
        entries = list(entries)
        if not entries:
            raise PfsmError(
                "this format holds no translations; give them with --system-outputs FOLDER or FILE …"
            )
        for entry in entries:
            for name, path in self._files(entry):
                if name in self._paths:
                    raise PfsmError(
                        f"{path}: a second file of system {name!r} after {self._paths[name]}; give NAME=FILE"
                    )
                self._paths[name] = path

    def _files(self, entry: str) -> list[tuple[str, str]]:
        name, equals, path = entry.partition("=")
        if equals and not Path(entry).exists():
            return [(name, path)]
        folder = Path(entry)
        if not folder.is_dir():
            return [(system_name(folder.name, *self._pair), entry)]
        with reading_explained(entry):
            files = sorted(
                path for path in folder.iterdir() if path.is_file() and not path.name.startswith(".")
            )
        ours = [path for path in files if self._is_ours(path.name)]
        if not ours:
            raise PfsmError(f"{entry}: no files of system outputs in this folder")
        return [(system_name(path.name, *self._pair), str(path)) for path in ours]

    def _is_ours(self, file_name: str) -> bool:
        """Whether a file may be of our language pair: its name does not give another one."""
        pairs = {part for part in file_name.split(".") if _PAIR.fullmatch(part)}
        return not all(self._pair) or not pairs or "-".join(self._pair) in pairs

    @property
    def names(self) -> list[str]:
        """The systems, sorted."""
        return sorted(self._paths)

    def find(self, identifier: str) -> str | None:
        """The name of the system that an identifier means; None if it is not among the files."""
        name = system_name(identifier, *self._pair)
        # Direct assessments of 2021 and 2022 give systems a number that their files do not have.
        tried = (identifier, name, name.removesuffix(".0"))
        return next((each for each in tried if each in self._paths), None)

    def lines_of(self, name: str) -> tuple[str, ...]:
        """The output of a system, by a name that `find` returned.

        Raises:
            PfsmError: what `segments_of` raises, or an output that is not parallel to the references.
        """
        if name not in self._loaded:
            path = self._paths[name]
            lines = segments_of(path, "system")
            check_parallel(path, len(lines), self._texts.first_path, len(self._texts))
            self._loaded[name] = lines
        return self._loaded[name]


def unknown_system(identifier: str, known: Sequence[str]) -> str:
    """The message about a system whose output was not given."""
    return (
        f"no output of system {shown(identifier)} was given, only of {', '.join(known)}; "
        "give its file as NAME=FILE, or --skip-unknown-systems"
    )
