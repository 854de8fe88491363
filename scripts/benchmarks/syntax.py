"""Metrics over syntax on one core: the speed of parsing, and pairs per second once the lines are parsed.

    PFSM_DATA=… python scripts/benchmarks/syntax.py [METRIC …]

Without names, all listed metrics of the syntactic groups are timed, and parsing: one tree, lists of 50, probabilities
of all trees. Names may have options, as in ``edpm(gamma=1)``. Analyses are cached in a temporary folder.
"""

import os
import sys
import tempfile
from collections.abc import Sequence
from functools import partial
from pathlib import Path

# Must be set before numpy is imported.
os.environ["OPENBLAS_NUM_THREADS"] = "1"
sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from peers import pairs
from stopwatch import Report, cost, one_core

from pfsm.analysis.service import analyse_lines
from pfsm.analysis.wanted import Wanted
from pfsm.metrics import get_metric
from pfsm.metrics.syntax import dependency_pairs, fragments, overlap

GROUPS = (*dependency_pairs.GROUPS, *fragments.GROUPS, *overlap.GROUPS)
PARSED = 1000
RUNS = 3
ANALYSES = {
    "the likeliest tree": Wanted(),
    "the 50 likeliest trees": Wanted(trees=50),
    "probabilities of all trees": Wanted(marginals=True),
    "the same, flattened (gamma = .25)": Wanted(marginals=True, gamma=0.25),
    "constituents": Wanted(constituents=True),
}


def main() -> None:
    """Times parsing, then every metric on parsed lines."""
    one_core()
    references, hypotheses = pairs()
    names = sys.argv[1:] or [name for group in GROUPS if group.listed for name in group.metrics]
    report = Report(f"Metrics over syntax, {len(references):,} pairs")
    with tempfile.TemporaryDirectory() as folder:
        os.environ["PFSM_RESOURCES"] = folder
        if not sys.argv[1:]:
            time_parsing(report, list(dict.fromkeys([*hypotheses, *references]))[:PARSED])
        for name in names:
            metric = get_metric(name)
            # The lines are parsed in the warm-up.
            measured = cost(partial(metric.score_pairs, hypotheses, references), RUNS)
            report.add("scores of pairs, analyses known", name, len(references), measured)
    report.save()


def time_parsing(report: Report, lines: Sequence[str]) -> None:
    """Times the parsing of lines, without the cache."""
    for name, wanted in ANALYSES.items():
        measured = cost(partial(analyse_lines, lines, wanted=wanted, cache=False), 1)
        report.add("lines parsed", name, len(lines), measured)


if __name__ == "__main__":
    main()
