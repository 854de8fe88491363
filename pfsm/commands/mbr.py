"""``pfsm mbr``: of several candidates for each source, the one with the highest expected score."""

import json
import math
import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Sequence
from itertools import chain
from typing import TextIO

from pfsm.commands.arguments import (
    add_format,
    add_scheduler,
    add_scorer,
    add_threads,
    check_output,
    open_scorer,
    positive,
    print_signature,
    sharing,
)
from pfsm.commands.languages import check_text
from pfsm.distributed.pairs import choose_on
from pfsm.distributed.scorers import spec_of
from pfsm.errors import PfsmError
from pfsm.io.files import STANDARD_INPUT, atomic_write, display_name, read_lines
from pfsm.model.mbr import Choice, choose


def add_arguments(parser: ArgumentParser) -> None:
    """Arguments of the command."""
    parser.add_argument(
        "--input",
        "-i",
        "-t",
        default=STANDARD_INPUT,
        metavar="HYPS",
        help="candidates, one a line, those of a source on consecutive lines; .gz is read (default: standard input)",
    )
    parser.add_argument(
        "--num-samples",
        "--num-sample",
        "--num_sample",
        "-n",
        type=positive,
        required=True,
        metavar="N",
        help="candidates of each source, at least 2",
    )
    parser.add_argument(
        "--output", "-o", metavar="OUT", help="where to write the choices (default: standard output)"
    )
    parser.add_argument(
        "--weights",
        metavar="FILE",
        help="weights of the candidates as references, such as probabilities: a number from 0 a line, parallel to HYPS",
    )
    add_scorer(parser)
    add_format(parser, "text", "json", "tsv")
    parser.add_argument(
        "--signature",
        choices=("short", "long"),
        help="say on standard error what scored: its short or long signature",
    )
    add_threads(parser)
    add_scheduler(parser)


def run(options: Namespace) -> None:
    """Reads, chooses, writes."""
    if options.num_samples < 2:
        raise PfsmError("--num-samples is 1, at least 2 candidates are needed to choose from")
    if options.output is not None:
        check_output(options.output, [path for path in (options.input, options.weights) if path is not None])
    if options.input == options.weights == STANDARD_INPUT:
        raise PfsmError("standard input: given more than once, it can be read only once; give files")
    candidates = _candidates(options.input, options.num_samples)
    weights = None
    if options.weights is not None:
        weights = _weights(options.weights, options.num_samples, len(candidates))
    metric = open_scorer(options)
    metric.check_independent()
    check_text(metric, chain.from_iterable(candidates), options)
    with sharing(options.scheduler) as shared:
        if shared.pool is not None and shared.report is not None:
            choices = choose_on(shared.pool, spec_of(metric), candidates, weights, shared.report)
        else:
            choices = choose(metric, candidates, weights)
    if options.signature is not None:
        print_signature(metric, "var", options)
    if options.output is None:
        _write(choices, options.format, sys.stdout)
        return
    with atomic_write(options.output) as handle:
        _write(choices, options.format, handle)


def _candidates(path: str, number: int) -> list[list[str]]:
    lines, name = read_lines(path), display_name(path)
    if not lines:
        raise PfsmError(f"{name}: no lines, at least {number} candidates are needed")
    if len(lines) % number:
        raise PfsmError(
            f"{name}: {len(lines)} lines, not a multiple of {number}; give every source {number} candidates"
        )
    return [lines[first : first + number] for first in range(0, len(lines), number)]


def _weights(path: str, number: int, sources: int) -> list[list[float]]:
    lines, name = read_lines(path), display_name(path)
    if len(lines) != number * sources:
        raise PfsmError(
            f"{name}: {len(lines)} lines, but there are {number * sources} candidates; give a weight for each"
        )
    values = [_weight(line, f"{name}:{place}") for place, line in enumerate(lines, 1)]
    rows = [values[first : first + number] for first in range(0, len(values), number)]
    for source, row in enumerate(rows):
        if sum(value > 0.0 for value in row) < 2:
            raise PfsmError(
                f"{name}:{source * number + 1}: the weights of the {number} candidates from here are 0 but for one at "
                "most; two at least must be above 0"
            )
    return rows


def _weight(text: str, where: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not (math.isfinite(value) and value >= 0.0):
        raise PfsmError(f"{where}: weight is {text!r}, a finite number from 0 is needed")
    return value


def _write(choices: Sequence[Choice], form: str, handle: TextIO) -> None:
    if form == "tsv":
        print("segment\tcandidate\tscore", file=handle)
    documents = []
    for segment, choice in enumerate(choices):
        if form == "text":
            print(choice.text, file=handle)
        elif form == "tsv":
            print(f"{segment}\t{choice.candidate}\t{choice.score!r}", file=handle)
        else:
            documents.append(
                {
                    "segment": segment,
                    "candidate": choice.candidate,
                    "translation": choice.text,
                    "score": choice.score,
                    "expected": choice.expected.tolist(),
                }
            )
    if form == "json":
        print(json.dumps(documents, indent=1, ensure_ascii=False), file=handle)
