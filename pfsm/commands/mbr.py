"""``pfsm mbr``: of the candidates of each source, the one with the highest expected score against the others."""

import json
import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Sequence
from contextlib import nullcontext
from itertools import chain
from typing import TextIO

from pfsm.commands.arguments import check_text, heading, open_scorer
from pfsm.commands.options import check_output, declare
from pfsm.commands.output import tell
from pfsm.data.formats.rows import Row
from pfsm.errors import PfsmError
from pfsm.io.containers import is_text
from pfsm.io.files import STANDARD_INPUT, atomic_write, display_name, one_line, read_lines
from pfsm.io.json_text import parsed
from pfsm.model.mbr import Choice, choose
from pfsm.model.shipped import DEFAULT_MODEL, QUICK_MODEL, model_for
from pfsm.runtime.terminal import error_line

OPTIONS = f"""
--input, -i, -t HYPS [{STANDARD_INPUT}]  JSON lines, a source on each: a list of candidates, texts or objects with
  text and weight, or an object with candidates and weights; with --num-samples text, a candidate a line (default:
  standard input)
--num-samples, --num-sample, --num_sample, -n N  candidates of each source, at least 2, on consecutive lines
--output, -o OUT  where to write the choices (default: standard output)
--weights FILE  with --num-samples: the candidates' weights as references, such as probabilities, a number from 0 a line
@scorer {QUICK_MODEL}
@format text json tsv
--signature {{short,long}}  say on standard error what scored: its short or long signature
@threads
"""


def add_arguments(parser: ArgumentParser) -> None:
    """Arguments of the command."""
    declare(parser, OPTIONS)


def run(options: Namespace) -> None:
    """Reads, chooses, writes."""
    if options.num_samples is not None and options.num_samples < 2:
        raise PfsmError("--num-samples is 1, at least 2 candidates are needed to choose from")
    check_output(options.output, [options.input, options.weights])
    if options.input == options.weights == STANDARD_INPUT:
        raise PfsmError("standard input: given more than once, it can be read only once; give files")
    candidates, weights = _read(options)
    named = options.model is not None or options.metric is not None
    if not named and model_for(options.language or "en") == DEFAULT_MODEL:
        options.model = QUICK_MODEL
        error_line(
            f"pfsm: scored by {QUICK_MODEL}; --model {DEFAULT_MODEL} agrees more with people, and takes longer"
        )
    metric = open_scorer(options)
    metric.check_independent()
    check_text(metric, chain.from_iterable(candidates), options)
    choices = choose(candidates, metric, weights=weights)
    if options.signature is not None:
        tell(f"scored by {heading(metric, 'var', 'segment', options)}")
    with nullcontext(sys.stdout) if options.output is None else atomic_write(options.output) as handle:
        _write(choices, options.format, handle)


def _read(options: Namespace) -> tuple[list[list[str]], list[list[float]] | None]:
    if options.num_samples is None:
        if options.weights is not None:
            raise PfsmError("--weights: in JSON lines, weights stand beside their candidates; leave it out")
        sources = _json_lines(options.input)
        known = any(weights for _, weights in sources)
        given = [weights or [1.0] * len(texts) for texts, weights in sources]
        return [texts for texts, _ in sources], given if known else None
    candidates, weights = _candidates(options.input, options.num_samples), None
    if options.weights is not None:
        weights = _weights(options.weights, options.num_samples, len(candidates))
    return candidates, weights


def _json_lines(path: str) -> list[tuple[list[str], list[float]]]:
    """Candidates and weights, none where they are not told, of each line."""
    name, found = display_name(path), []
    for number, line in enumerate(read_lines(path), 1):
        where = f"{name}:{number}"
        value = parsed(line, where)
        if value is None:
            raise PfsmError(
                f"{where}: no JSON; give one list of candidates a line, or text with --num-samples"
            )
        weights = value.get("weights") if isinstance(value, dict) else None
        entries = value.get("candidates") if isinstance(value, dict) else value
        if not isinstance(entries, list) or len(entries) < 2:
            raise PfsmError(f"{where}: a list of at least 2 candidates is needed")
        if weights is None and all(isinstance(entry, dict) and "weight" in entry for entry in entries):
            weights = [entry["weight"] for entry in entries]
        texts: list[str] = []
        for entry in entries:
            text = entry.get("text") if isinstance(entry, dict) else entry
            if not (isinstance(text, str) and is_text(text)):
                raise PfsmError(f"{where}: candidate {len(texts) + 1} is {ascii(text)[:40]}, text is needed")
            texts.append(one_line(text))
        if weights is not None and not (isinstance(weights, list) and len(weights) == len(texts)):
            raise PfsmError(
                f"{where}: weights must be a list of {len(texts)} numbers, one for each candidate"
            )
        found.append(
            (texts, _row([Row(name, number, {"weight": str(weight)}) for weight in weights or ()], where))
        )
    if not found:
        raise PfsmError(f"{name}: no lines, at least one source is needed")
    return found


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
    values = [Row(name, place, {"weight": line}) for place, line in enumerate(lines, 1)]
    return [
        _row(values[first : first + number], f"{name}:{first + 1} to {first + number}")
        for first in range(0, len(values), number)
    ]


def _row(given: Sequence[Row], where: str) -> list[float]:
    """The weights of a source's candidates, if there are some, checked."""
    weights = [one.number("weight", 0.0) for one in given]
    if weights and sum(weight > 0.0 for weight in weights) < 2:
        raise PfsmError(f"{where}: the weights are 0 but for one at most; two at least must be above 0")
    return weights


def _write(choices: Sequence[Choice], form: str, handle: TextIO) -> None:
    if form == "json":
        documents = [
            {
                "segment": segment,
                "candidate": choice.candidate,
                "translation": choice.text,
                "score": choice.score,
                "expected": choice.expected.tolist(),
            }
            for segment, choice in enumerate(choices)
        ]
        lines = [json.dumps(documents, indent=1, ensure_ascii=False)]
    elif form == "tsv":
        rows = [f"{segment}\t{one.candidate}\t{one.score!r}" for segment, one in enumerate(choices)]
        lines = ["segment\tcandidate\tscore", *rows]
    else:
        lines = [choice.text for choice in choices]
    handle.writelines(f"{line}\n" for line in lines)
