"""Builds pfsm/resources/meteor/function_words.txt from references of public test sets.

Function words are those with a relative frequency above .001, as in METEOR. Each distinct reference counts once. Words
are those of METEOR's tokeniser, including punctuation; numbers are left out. Needs PFSM_DATA.

    PFSM_DATA=… python scripts/build_function_words.py
"""

import sys
from collections import Counter
from pathlib import Path

from pfsm.data import read_table
from pfsm.io.files import atomic_write
from pfsm.metrics.meteor.normaliser import Abbreviations, meteor_tokeniser
from pfsm.text.chunks import CachedTokeniser

sys.path.insert(0, str(Path(__file__).resolve().parent))
from real_data import CHECKOUT, data_folder

SETS = {
    "en": ("wmt12-rr", "wmt13-rr", "wmt15-daseg", "wmt16-daseg", "wmt19-darr", "wmt21-da"),
    "de": ("mlqe-pe",),
    "es": ("iwslt19-enes",),
}
FREQUENCY = 1e-3
WIDTH = 118
HEAD = """\
# Words with a relative frequency above .001 in references of public test sets, by language, the most frequent first.
# Made by scripts/build_function_words.py.
"""


def main() -> None:
    """Counts the words and writes the file."""
    text = HEAD
    for language, sets in SETS.items():
        words, n_words = frequent_words(language, sets)
        text += f"\n# From {n_words:,} words.\n[{language}]\n{wrapped(words)}"
        print(f"{language}: {len(words)} function words of {n_words:,} words")
    with atomic_write(CHECKOUT / "pfsm" / "resources" / "meteor" / "function_words.txt") as handle:
        handle.write(text)


def frequent_words(language: str, sets: tuple[str, ...]) -> tuple[list[str], int]:
    """The function words of a language, and the number of words counted."""
    files = [path for name in sets for path in sorted((data_folder() / name).glob(f"*-{language}-*.tsv.gz"))]
    references = sorted({line for path in files for line in read_table(path).column("reference")})
    tokenise = CachedTokeniser(meteor_tokeniser(language, Abbreviations()))
    counts = Counter(word for line in references for word in tokenise(line))
    total = counts.total()
    frequent = [word for word, count in counts.items() if count > FREQUENCY * total and not word.isdecimal()]
    return sorted(frequent, key=lambda word: (-counts[word], word)), total


def wrapped(words: list[str]) -> str:
    """The words broken into lines; `textwrap` would break them at hyphens."""
    lines = [""]
    for word in words:
        if len(lines[-1]) + 1 + len(word) > WIDTH:
            lines.append("")
        lines[-1] += f" {word}" if lines[-1] else word
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    main()
