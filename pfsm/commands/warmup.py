"""``pfsm warmup``: compiles all kernels ahead, for images and for machines where nothing may be written.

Which machine code a kernel needs depends on the types of what it is called with, so nothing but the commands
themselves tells: they are run as people run them, on a few made-up sentences, with all models, metrics and statistics.
"""

import contextlib
import io
import json
import tempfile
import warnings
from argparse import ArgumentParser, Namespace
from collections.abc import Iterator, Sequence
from importlib import import_module
from pathlib import Path

from pfsm.commands import COMMANDS
from pfsm.commands.arguments import hush
from pfsm.commands.options import declare
from pfsm.errors import PfsmError, PfsmWarning
from pfsm.evaluation.catalogue import BY_LEVEL, DOCUMENT, LEVELS, PREFERENCES, SEGMENT, SYSTEM
from pfsm.metrics import metric_names
from pfsm.model.shipped import shipped_models
from pfsm.runtime.terminal import Stage
from pfsm_kernels.cache import FILLED, FOLDER, is_kept

Run = tuple[str, tuple[str, ...]]

_REFERENCES = (
    "The old baker opens his small shop at six in the morning .",
    "She did not read the long letter , because it was raining .",
    "Two children are playing near the river with a red ball .",
    "It costs 25 euros .",
)
_OTHERS = (
    "The old baker opened the little shop at six a.m. .",
    "She never read that long letter since it rained .",
    "Near the river two kids play with a red ball .",
    "The price is 25 euros .",
)
_SYSTEMS = (
    (
        "At six in the morning the old baker opens his store .",
        "She did not reads the letter long , it was raining .",
        "Two child plays by the river with red balls .",
        "It costs 52 euros .",
    ),
    (
        "Old baker his small shop opens at six .",
        "She read the long letter .",
        "Near the river , two children are playing with a red ball .",
        "",
    ),
)
# Models of which none ships, with their jump limits and scales of weights: with swaps; with weights so large that
# another rate has to be found, or that sums are taken in log space.
MADE = (("jump", 2, 1.0), ("wide-range", 0, 60.0), ("large", 0, 500.0), ("large-jump", 2, 500.0))
# What people do first, with the default model and configuration; arguments name files of `write_inputs`.
USUAL: tuple[Run, ...] = (
    ("score", ("ref", "-i", "one")),
    ("compare", ("ref", "-i", "one", "two", "-m", "en", "--metric", "chrf++")),
    ("train", ("judged.tsv", "-o", "usual.json")),
    ("evaluate", ("judged.tsv", "-m", "usual.json")),
    ("explain", ("ref", "-i", "one")),
)
_WEIGHTS = {"Insert": -0.5, "Delete": -1.25, "S_word": 2.0, "S_lemma": 1.0, "Insert>Insert": -0.25}


def add_arguments(parser: ArgumentParser) -> None:
    """Arguments of the command."""
    parser.description = (
        "Compile all kernels ahead, by running other commands on a few made-up sentences. They are kept below "
        "NUMBA_CACHE_DIR if that is set, else beside the installed package, else in the user's cache folder."
    )
    declare(parser, "--usual  only what the README's commands need: a minute\n@quiet")


def run(options: Namespace) -> None:
    """Compiles, and says where the kernels are."""
    hush(options)
    if not is_kept():
        raise PfsmError(
            "no folder can be written in which compiled kernels could be kept; set NUMBA_CACHE_DIR to one that can"
        )
    runs = USUAL if options.usual else all_runs()
    left_out: dict[str, str] = {}
    with (
        tempfile.TemporaryDirectory(prefix="pfsm-warmup-") as name,
        Stage("warmup", "compiling", total=len(runs), unit="runs") as stage,
    ):
        folder = Path(name)
        write_inputs(folder)
        for one in runs:
            reason = run_quietly(one, folder)
            if reason is not None:
                left_out.setdefault(reason, one[0])
            stage.advance(1)
    if not options.usual:
        (FOLDER / FILLED).touch()
    if not options.quiet:
        for reason, command in left_out.items():
            print(f"left out of `pfsm {command}`: {reason}")
        print(f"compiled kernels are in {FOLDER}")


def write_inputs(folder: Path) -> None:
    """Writes the files that `all_runs` names."""
    texts: dict[str, Sequence[str]] = {
        "ref": _REFERENCES,
        "ref2": _OTHERS,
        "one": _SYSTEMS[0],
        "two": _SYSTEMS[1],
    }
    texts["candidates"] = tuple(line for pair in zip(*_SYSTEMS, strict=True) for line in pair)
    # Many different characters in one pair, and many matches in one batch.
    texts["wide"] = ("".join(map(chr, range(0x4E00, 0x4E00 + 1100))),)
    texts["many"] = (*_REFERENCES, *_OTHERS) * 8
    judged = ["system\tdocument\tsegment_id\treference\treference_2\thypothesis\tother\tscore"]
    preferred = ["reference\tbetter\tworse\tbetter_system\tworse_system\tsegment_id"]
    for segment in range(20):
        place = segment % len(_REFERENCES)
        reference = _REFERENCES[place]
        sides = [lines[(place + segment // 4) % len(lines)] or "." for lines in (*_SYSTEMS, _OTHERS)]
        for number, side in enumerate(sides):
            score = number + 0.25 * place + 0.125 * (segment // 4 % 3)
            start = f"s{number}\td{place % 2}\t{segment}\t{reference}"
            judged.append(f"{start}\t{_OTHERS[place]}\t{side}\t{segment % 4}\t{score}")
            preferred.append(
                f"{reference}\t{side}\t{sides[number - 1]}\ts{number}\ts{(number - 1) % 3}\t{segment}"
            )
    texts |= {"judged.tsv": tuple(judged), "preferred.tsv": tuple(preferred)}
    for name, jump, scale in MADE:
        weights = {**_WEIGHTS, **({"Jump": -1.0} if jump else {})}
        model = {
            "format": "pfsm-model-1",
            "name": name,
            "settings": {"language": "en", "max_jump": jump, "max_block": 2},
            "weights": {key: scale * value for key, value in weights.items()},
            "alpha": 0.25,
            "scale": {"mean": 0, "sd": 1},
            "training": {},
            "licence": "not stated",
        }
        texts[f"{name}.json"] = (json.dumps(model),)
    for name, settings in (("plain", {}), ("jumps", {"max_jump": 2})):
        texts[f"{name}.yaml"] = (json.dumps({"language": "en", "lambda": 1.0, **settings}),)
    for name, lines in texts.items():
        (folder / name).write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")


def all_runs() -> list[Run]:
    """Commands with their arguments, which name files of `write_inputs`."""
    shipped = [model.name for model in shipped_models()]
    models = [*shipped, *(f"{name}.json" for name, *_ in MADE)]
    runs = [*USUAL, *(("score", ("ref", "-i", "one", "-m", name)) for name in models)]
    runs += [("score", ("ref", "ref2", "-i", "one", "two", "-sl", "-m", name)) for name in shipped]
    runs += [("explain", ("ref", "-i", "one", "-m", name)) for name in models]
    for name in metric_names():
        runs += [("score", ("ref", "ref2", "-i", "one", "--metric", name))]
        runs += [("score", ("ref", "-i", "one", "-sl", "--metric", name))]
    runs += [("score", (name, "-i", name, "-m", "en")) for name in ("wide", "many")]
    runs += [("mbr", ("-i", "candidates", "-n", "2"))]
    if "parse" in COMMANDS:  # of a package that may not be there
        runs += [("parse", ("ref", "--format", form, "--no-cache")) for form in ("conllu", "ptb", "nbest")]
    runs += [("evaluate", arguments) for arguments in _evaluations()]
    for name in ("plain", "jumps"):
        runs += [("train", ("judged.tsv", "-o", f"{name}.model", "--config", f"{name}.yaml"))]
    return runs


def _evaluations() -> Iterator[tuple[str, ...]]:
    usual = "--confidence-n", "20"
    for level in LEVELS:
        names = ",".join(BY_LEVEL[level])
        yield "judged.tsv", "--column", "other", "--level", level, "--statistics", names, *usual
    yield "judged.tsv", "--metric", "chrf", "--level", SYSTEM, "--statistics", "spa", *usual
    yield "judged.tsv", "--metric", "bleu", "--level", DOCUMENT, *usual
    yield "judged.tsv", "--column", "other", "--versus", "metric:chrf", *usual
    yield "preferred.tsv", "--metric", "chrf", "--statistics", ",".join(PREFERENCES), *usual
    yield "judged.tsv", "--metric", "chrf", "--statistics", ",".join((*BY_LEVEL[SEGMENT], "king")), *usual


def run_quietly(one: Run, folder: Path) -> str | None:
    """Runs one command in a folder and throws away what it prints.

    Returns:
        Why it cannot run, such as what is not installed; None if it could.
    """
    name, arguments = one
    command = import_module(COMMANDS[name].module)
    parser = ArgumentParser(prog=f"pfsm {name}")
    command.add_arguments(parser)
    options = parser.parse_args(list(arguments))
    with (
        contextlib.chdir(folder),
        contextlib.redirect_stdout(io.StringIO()),
        contextlib.redirect_stderr(io.StringIO()),
        warnings.catch_warnings(),
    ):
        warnings.simplefilter("ignore", PfsmWarning)
        try:
            command.run(options)
        except PfsmError as error:
            return str(error)
    return None
