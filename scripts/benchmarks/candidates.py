"""Times ``pfsm mbr`` on 100 sentences with 100 candidates each, made from real translations by random edits.

PFSM_DATA=… python scripts/benchmarks/candidates.py
"""

import random
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from peers import pairs
from report import Report
from stopwatch import cost_of_command

SENTENCES, CANDIDATES, MOST_EDITS = 100, 100, 6
MODELS = ("en-small", "en")


def main() -> None:
    """Times the whole command, with the smallest and the default model, and on one thread and all processors."""
    _, hypotheses = pairs()
    chosen = list(dict.fromkeys(hypotheses))[:SENTENCES]
    draw = random.Random(1)
    words = " ".join(hypotheses).split()
    lines = [edited(sentence.split(), words, draw) for sentence in chosen for _ in range(CANDIDATES)]
    report = Report("Minimum Bayes risk, 100 sentences with 100 candidates")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "candidates.txt"
        path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
        output = str(Path(folder) / "chosen.txt")
        command = [
            sys.executable, "-m", "pfsm", "mbr", "-i", str(path), "-n", str(CANDIDATES), "-o", output,
        ]  # fmt: skip
        for model in MODELS:
            for name, extra in (("one thread", ["--threads", "1"]), ("all processors", [])):
                report.add(
                    "pairs of candidates, whole process",
                    f"{model}, {name}",
                    len(chosen) * CANDIDATES**2,
                    cost_of_command([*command, "--model", model, *extra], 1),
                )
    report.save()


def edited(sentence: list[str], words: list[str], draw: random.Random) -> str:
    """The sentence with up to six words replaced, deleted or inserted."""
    result = list(sentence)
    for _ in range(draw.randint(0, MOST_EDITS)):
        place = draw.randrange(len(result)) if result else 0
        match draw.choice(("replace", "lose", "add")):
            case "replace" if result:
                result[place] = draw.choice(words)
            case "lose" if result:
                del result[place]
            case _:
                result.insert(place, draw.choice(words))
    return " ".join(result)


if __name__ == "__main__":
    main()
