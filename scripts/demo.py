"""A tour of the main commands on shipped data: train, evaluate, score, compare, explain. ``make demo``.

All files are written to ``demo-output/``, and every command is shown as a user would type it.
"""

import shlex
import shutil
import subprocess
import sys
from importlib.resources import files
from pathlib import Path

from pfsm.data import read_table

CHECKOUT = Path(__file__).resolve().parent.parent
OUTPUT = CHECKOUT / "demo-output"
SYSTEMS = ("amber", "birch", "cedar", "dune")


def main() -> None:
    """Runs the tour."""
    prepare()
    say(
        "pfsm demonstration",
        "",
        "The data: 132 English sentences with four invented system translations each, written for this project",
        "and graded 1 (wrong) to 7 (perfect) by its authors. 88 sentences are for training, 44 for testing. They",
        "illustrate the commands and prove nothing. Many are hard on purpose: a lost 'not' or a changed number is only",
        "one word but reverses the meaning, which a metric of words, stems and punctuation marks cannot tell.",
    )
    pfsm("warmup", "--usual")
    pfsm("train", "train.tsv", "--output", "model.json", "--name", "demo")
    say(
        "The model has learned the cost of each kind of edit from 352 grades. Trust the cross-validated number: the",
        "agreement on sentences held out of training.",
    )
    pfsm("evaluate", "test.tsv", "--model", "model.json", "--by", "source_lang")
    say("Agreement with the grades of the 44 test sentences: 1 would be perfect, 0 is chance.")
    pfsm("score", "reference.txt", "-i", "birch.txt", "--model", "model.json")
    pfsm(
        "score", "reference.txt", "-i", "birch.txt", "--model", "model.json", "-sl", "-w", "2", first_lines=5
    )
    show_sentences("birch", 5)
    say(
        "One predicted grade per line (here the first five, with their sentences); the system score is their mean.",
        "What stands before the equals sign is the signature: scores with the same one can be compared.",
    )
    pfsm("compare", "reference.txt", "-i", "amber.txt", "birch.txt", "dune.txt", "--model", "model.json")
    say(
        "p is the probability of so large a difference between equally good systems, corrected for the number of",
        "pairs. A system is preferred if p is below .05. Otherwise the metric cannot tell which of the two is better.",
    )
    pfsm("explain", "reference.txt", "-i", "dune.txt", "--segment", "1", first_lines=8)
    say(
        "Where a translation loses its points, and what would mend it. `--html FILE` writes a page to look at.",
        "`pfsm show model.json` prints what a model has learned, `pfsm train --report FILE.html` writes it as a page.",
    )
    pfsm("score", "reference.txt", "-i", "amber.txt", "birch.txt", "cedar.txt", "dune.txt", "-b", "-w", "1")
    say(
        "The same sentences scored by `en`, the default model, trained on judgments of several campaigns. A",
        "translation identical to its reference scores 100, and one with nothing in common with it 0.",
        "",
        f"All files are in {OUTPUT.relative_to(CHECKOUT)}/. Next: replace train.tsv by your own judgments.",
    )


def prepare(folder: Path = OUTPUT) -> None:
    """Writes the corpus as the files that a user would have, into a new folder."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    corpus = Path(str(files("pfsm.resources") / "demo"))
    for name in ("train.tsv", "test.tsv", "table.yaml"):
        shutil.copy(corpus / name, folder / name)
    table = read_table(corpus / "test.tsv")
    systems, references = table.columns["system"], table.columns["reference"]
    for system in SYSTEMS:
        rows = [row for row, name in enumerate(systems) if name == system]
        for name, column in ((system, table.columns["hypothesis"]), ("reference", references)):
            text = "".join(f"{column[row]}\n" for row in rows)
            (folder / f"{name}.txt").write_text(text, encoding="utf-8")


def say(*lines: str) -> None:
    """Prints an explanation."""
    print()
    for line in lines:
        print(line)
    print(flush=True)


def pfsm(*words: str, first_lines: int | None = None) -> None:
    """Shows a command, runs it, and stops the tour if it fails."""
    shown = shlex.join(["pfsm", *words])
    print(f"$ {shown} | head -{first_lines}" if first_lines else f"$ {shown}", flush=True)
    command = [sys.executable, "-m", "pfsm", *words]
    output = subprocess.PIPE if first_lines else None
    done = subprocess.run(command, cwd=OUTPUT, stdout=output, text=True, check=False)
    if done.returncode:
        sys.exit(done.returncode)
    if first_lines:
        print("\n".join(done.stdout.splitlines()[:first_lines]))


def show_sentences(system: str, count: int) -> None:
    """Prints the sentences of the scores printed before."""
    sides = [
        (OUTPUT / f"{name}.txt").read_text(encoding="utf-8").splitlines() for name in ("reference", system)
    ]
    print()
    for reference, hypothesis in list(zip(*sides, strict=True))[:count]:
        print(f"  reference  {reference}\n  {system:<9}  {hypothesis}")


if __name__ == "__main__":
    main()
