"""Checks the Penn tokeniser and the Porter stemmer against NLTK on every sentence of a folder of judgments.

    python scripts/check_tokeniser.py DATA_FOLDER

Reads every ``.tsv.gz`` below the folder. The first row of a file names its columns; the sentences are in the columns
``reference``, ``reference_2``, ``hypothesis``, ``better`` and ``worse``. Prints times and the first differences, and
exits with status 1 if there are any. NLTK takes about 0.1 ms per sentence.
"""

import argparse
import gzip
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TypeVar

from nltk.stem import PorterStemmer
from nltk.tokenize import TreebankWordTokenizer

from pfsm.text import Vocabulary
from pfsm.text.penn import tokenise
from pfsm.text.stemming import stemmer_named

COLUMNS = ("reference", "reference_2", "hypothesis", "better", "worse")
SHOWN = 10

Result = TypeVar("Result")


def distinct_sentences(folder: Path) -> list[str]:
    """The distinct sentences of the judgment files below a folder, in the order of their first occurrence."""
    sentences: dict[str, None] = {}
    for path in sorted(folder.rglob("*.tsv.gz")):
        with gzip.open(path, "rt", encoding="utf-8", newline="\n") as lines:
            names = next(lines).rstrip("\n").split("\t")
            wanted = [place for place, name in enumerate(names) if name in COLUMNS]
            for line in lines:
                fields = line.rstrip("\n").split("\t")
                sentences.update((fields[place], None) for place in wanted)
    return list(sentences)


def microseconds(run: Callable[[], Result], items: int) -> tuple[Result, float]:
    """The result of a run, and its time per item in microseconds."""
    start = time.perf_counter()
    result = run()
    return result, (time.perf_counter() - start) / max(items, 1) * 1e6


def report(what: str, items: Sequence[str], ours: Sequence[object], theirs: Sequence[object]) -> int:
    """Prints the number of differences and the first of them; returns the number."""
    different = [place for place in range(len(items)) if ours[place] != theirs[place]]
    print(f"{what}: {len(items):,} compared, {len(different):,} differ")
    for place in different[:SHOWN]:
        print(f"  {items[place]!r}\n    pfsm {ours[place]!r}\n    nltk {theirs[place]!r}")
    return len(different)


def main() -> int:
    """Compares and times both, prints the results and returns the exit status."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("folder", type=Path, help="folder with .tsv.gz files of judgments")
    sentences = distinct_sentences(parser.parse_args().folder)
    if not sentences:
        print("no sentence found", file=sys.stderr)
        return 2

    n = len(sentences)
    theirs, nltk_time = microseconds(lambda: list(map(TreebankWordTokenizer().tokenize, sentences)), n)
    ours, cold = microseconds(lambda: list(map(tokenise, sentences)), n)
    _, warm = microseconds(lambda: list(map(tokenise, sentences)), n)
    print(f"tokenise: NLTK {nltk_time:.1f} us per sentence, pfsm {cold:.1f} cold, {warm:.1f} warm")
    failures = report("sentences", sentences, ours, theirs)

    vocabulary = Vocabulary()
    _, cold = microseconds(lambda: vocabulary.encode(sentences), n)
    _, warm = microseconds(lambda: vocabulary.encode(sentences), n)
    print(f"encode: {cold:.1f} us per sentence cold, {warm:.1f} warm; {len(vocabulary):,} token types")

    words = sorted({token.lower() for token in vocabulary.types})
    porter = PorterStemmer(mode=PorterStemmer.ORIGINAL_ALGORITHM)
    stems = stemmer_named("porter").stems(words)
    failures += report("words stemmed", words, stems, [porter.stem(word) for word in words])
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
