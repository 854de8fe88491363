"""Speed of the shipped parser on one core: loading, and words per second with and without marginals and constituents.

    OPENBLAS_NUM_THREADS=1 python scripts/benchmarks/parsing.py [FILE]

FILE contains lines of text; without it, invented sentences of 5 to 35 words are parsed.
"""

import sys
from functools import partial

import numpy as np
from report import Report
from stopwatch import cost

from pfsm.analysis.analysers import DEFAULT_PARSER, own_analyser
from pfsm.analysis.tokens import words_of
from pfsm.analysis.wanted import Wanted
from pfsm.io.files import read_lines

_SUBJECTS = ["the old man", "a small company from Ohio", "my sister", "nobody", "the report that we read"]
_VERBS = ["saw", "has not sold", "will probably repair", "wanted to know about", "asked for"]
_OBJECTS = ["the house on the hill", "it", "some very good books", "a new answer", "the price of the car"]
_N_LINES = 1000
RUNS = 3


def main() -> None:
    """Times loading and parsing."""
    lines = read_lines(sys.argv[1]) if len(sys.argv) > 1 else _made_up()
    n_words = sum(len(words_of(line)) for line in lines)
    report = Report("The parser that ships")
    report.add("loading", DEFAULT_PARSER, 1, cost(lambda: own_analyser(DEFAULT_PARSER), 1, warm_up=False))
    analyser = own_analyser(DEFAULT_PARSER)
    for name, wanted in (
        ("best tree", Wanted()),
        ("dependencies with marginals", Wanted(marginals=True)),
        ("with constituents", Wanted(constituents=True)),
    ):
        report.add("words", name, n_words, cost(partial(analyser.analyse, lines, wanted), RUNS))
    report.save()


def _made_up() -> list[str]:
    random = np.random.default_rng(5)

    def clause() -> str:
        return " ".join(str(random.choice(part)) for part in (_SUBJECTS, _VERBS, _OBJECTS))

    return [
        " and ".join(clause() for _ in range(random.integers(1, 4))).capitalize() + "."
        for _ in range(_N_LINES)
    ]


if __name__ == "__main__":
    main()
