"""How much sooner ``pfsm score`` ends on more cores: whole processes, one file of many pairs and many systems.

    PFSM_DATA=… python scripts/benchmarks/cores.py [--model NAME …] [--pairs N]

Lines are real ones with a tenth of their words exchanged, so that none is there twice. Printed are medians of
wall-clock times, and how many times the first is the others.
"""

import os
import random
import sys
import tempfile
from argparse import ArgumentParser
from collections.abc import Sequence
from itertools import islice
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from real_data import data_folder, into_english
from refusals import explained
from stopwatch import cost_of_command, machine

from pfsm.commands.arguments import positive
from training import SETS, endless, exchanged

SYSTEMS, RUNS = 20, 3
Pairs = Sequence[tuple[str, str]]


def main() -> None:
    """Times each model on each number of cores."""
    parser = ArgumentParser(description=__doc__)
    parser.add_argument("--model", nargs="+", default=["en-small", "en-fast"], metavar="NAME")
    parser.add_argument("--pairs", type=positive, default=40_000, metavar="N", help="in all (default: 40000)")
    wanted = parser.parse_args()
    sources = [path for name in SETS for path in into_english(data_folder() / name)]
    rows = islice(endless(sources, drawn=True), wanted.pairs)
    pairs = [(reference, hypothesis) for _, reference, hypothesis, _ in rows]
    available = len(os.sched_getaffinity(0))
    cores = [1 << power for power in range(available.bit_length()) if 1 << power <= available]
    heading = " | ".join([f"{wanted.pairs:,} pairs", *(f"{count} core(s), s" for count in cores), "times"])
    print(f"{machine()}\n\n| {heading} |")
    print("|---|" + "--:|" * (len(cores) + 1))
    with tempfile.TemporaryDirectory() as name:
        inputs = {
            "one system": _written(Path(name) / "one", [pairs]),
            f"{SYSTEMS} systems": _written(Path(name) / "many", _systems(pairs[: wanted.pairs // SYSTEMS])),
        }
        for model in wanted.model:
            for what, files in inputs.items():
                command = [sys.executable, "-m", "pfsm", "score", *files, "--model", model, "--threads"]
                walls = [cost_of_command([*command, str(count)], RUNS).wall for count in cores]
                cells = " | ".join(f"{wall:.2f}" for wall in walls)
                times = ", ".join(f"{walls[0] / wall:.2f}" for wall in walls[1:])
                print(f"| `{model}`, {what} | {cells} | {times} |", flush=True)


def _systems(pairs: Pairs) -> list[Pairs]:
    """So many translations of each reference."""
    draw = random.Random(0)
    pool = [word for _, hypothesis in pairs for word in hypothesis.split()]
    return [
        [(reference, exchanged("", hypothesis, pool, draw)[1]) for reference, hypothesis in pairs]
        for _ in range(SYSTEMS)
    ]


def _written(folder: Path, systems: Sequence[Pairs]) -> list[str]:
    """Writes the texts; the arguments of ``pfsm score`` that name them."""
    folder.mkdir()
    (folder / "reference").write_text(
        "".join(f"{reference}\n" for reference, _ in systems[0]), encoding="utf-8"
    )
    names = []
    for number, system in enumerate(systems):
        names.append(str(folder / f"system-{number}"))
        Path(names[-1]).write_text("".join(f"{hypothesis}\n" for _, hypothesis in system), encoding="utf-8")
    return [str(folder / "reference"), "-i", *names]


if __name__ == "__main__":
    explained(main)
