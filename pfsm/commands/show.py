"""``pfsm show``: prints what a model has learned, as a table, or draws its machine."""

import json
from argparse import ArgumentParser, Namespace
from collections.abc import Mapping
from typing import Any

from pfsm.commands.options import declare
from pfsm.embeddings.bert_weights import tuned_layers
from pfsm.encoder.heads import PARTS, contents_of, head_path, known_head
from pfsm.encoder.names import is_encoder_feature, parse_feature
from pfsm.errors import PfsmError
from pfsm.io.files import atomic_write
from pfsm.lattice.names import inserted_repeat
from pfsm.model.costs import WORDS, edit_costs
from pfsm.model.explain.errors import marker_of
from pfsm.model.file import Model
from pfsm.model.references import resources_of
from pfsm.model.settings import ABSOLUTE, Settings
from pfsm.model.shipped import find_model
from pfsm.model.training_record import bracketed, doubt, edge, figure, started, tried, weight_groups, weighted

STATISTICS = {"pearson": "Pearson r", "kendall_tau": "Kendall tau"}


OPTIONS = """
model MODEL  name of a shipped model, or a model file
@resource
@format text json
"""
MACHINE = "--machine FILE  draw states and the weights of all arcs into this SVG file"


def add_arguments(parser: ArgumentParser) -> None:
    """Arguments of the command."""
    declare(parser, OPTIONS)
    group = parser.add_argument_group("the machine")
    declare(group, MACHINE)
    group.add_argument(
        "--pair",
        nargs=2,
        metavar=("REFERENCE", "TRANSLATION"),
        help="with --machine: two sentences, whose best edit sequence is drawn in",
    )


def run(options: Namespace) -> None:
    """Prints settings, training and weights, or draws the machine."""
    if options.pair and not options.machine:
        raise PfsmError("--pair is drawn into the machine; add --machine FILE")
    model = find_model(options.model, run=bool(options.pair))
    if options.machine:
        from pfsm.model.explain.machine import machine_svg  # noqa: PLC0415 - nothing else needs it

        found = None
        if options.pair:
            from pfsm.model.metric import Metric  # noqa: PLC0415 - brings numba

            reference, translation = options.pair
            found = Metric(model).explain(translation, reference)
        with atomic_write(options.machine) as handle:
            handle.write(machine_svg(model, found))
        print(f"wrote {options.machine}")
        return
    if options.format == "json":
        print(json.dumps(model.to_dict(), indent=2, ensure_ascii=False))
        return
    _print_about(model)
    print()
    _print_costs(model)
    _print_weights(model)


def _print_about(model: Model) -> None:
    settings = model.settings
    print(f"{model.name}  (fingerprint {model.fingerprint}, licence: {model.licence})")
    if settings.edits:
        _print_edits(settings)
    else:
        print("edits       none: the score is a sum of weighted features")
    for line in _encoder_lines(model):
        print(line)
    if settings.references == "mean":
        print("references  the mean of the scores against each")
    for kind, names in model.to_dict().get("plugins", {}).items():
        print(f"plug-ins    {kind}: {', '.join(f'{name} of {origin}' for name, origin in names.items())}")
    if found := resources_of(settings):
        print(f"resources   {', '.join(found)}: not shipped, given by --resource NAME=PATH")
    edits = "y / (m + n)" if settings.edits else "weighted features"
    alpha = f"{'-' if model.alpha < 0 else '+'} {abs(model.alpha):.6g}"
    value = f"{edits} {alpha}" if settings.form == ABSOLUTE else f"{edits} less that of a perfect match"
    print(f"score       {model.scale.mean:.6g} + {model.scale.sd:.6g} * ({value})")
    print(f"            {model.scale.note}")
    if marks := model.training.get("errors"):
        major = marker_of(model.training, settings.features, f"model {model.name}").major
        print(
            f"errors      major from {major:g} points on, by marks of {marks.get('translations')} translations"
        )
    for line in _training_lines(model):
        print(line)


def _print_edits(settings: Settings) -> None:
    blocks = ", ".join(f"{name} up to {settings.max_block[name]}" for name in settings.matchers)
    print(
        f"text        {settings.language}, tokeniser {settings.tokeniser}, stemmer {settings.stemmer}, "
        f"{'lower-cased' if settings.lowercase else 'case kept'}"
    )
    print(f"matchers    {blocks}; {settings.matching}; max_jump {settings.max_jump}")
    if settings.split_by_class:
        lists = settings.classes if isinstance(settings.classes, str) else "own"
        print(f"split       {', '.join(settings.split_by_class)} by word class, lists {lists}")
    if inserted_repeat() in settings.split:
        print(f"{'' if settings.split_by_class else 'split':<12}Insert of words said twice in a row")


def _encoder_lines(model: Model) -> list[str]:
    name = next(filter(is_encoder_feature, model.settings.features), None)
    if name is None:
        return []
    label, source = parse_feature(name)
    lines = [f"encoder     {source}, head {label}"]
    if label not in contents_of([name]):
        return [*lines, f"{'':<12}{head_path('', label)} is not beside the model"]
    head = known_head(label, model.name)
    learned = model.training.get("encoder", {})
    passes, held_out = learned.get("passes"), learned.get("held_out")
    if isinstance(held_out, Mapping):
        alone = figure(held_out.get(str(passes)))
        lines.append(f"{'':<12}learned in {passes} passes; alone {alone} on held-out judgments")
    if head.tuned:
        tuned = ", ".join(str(layer + 1) for layer in tuned_layers(head.tuned))
        lines.append(f"{'':<12}tuned       layers {tuned} of the encoder; {len(head.content):,} bytes")
    weights = ", ".join(
        f"{part} {weight:+.3f}" for part, weight in zip(PARTS, head.linear.tolist(), strict=True)
    )
    knots = ", ".join(f"{value:+.2f}" for value in head.knots.tolist())
    insert, delete = head.edits.tolist()
    return [
        *lines,
        f"{'':<12}value       {float(head.constant[0]):+.3f}, {weights}",
        f"{'':<12}alignment   Insert {insert:+.2f}, Delete {delete:+.2f}, match at cosine 0, .2 … 1: {knots}",
    ]


def _training_lines(model: Model) -> list[str]:
    training = model.training
    if not training.get("data"):
        return []
    files = ", ".join(f"{entry.get('name')} ({entry.get('rows')})" for entry in training["data"])
    counted = [f"{training[kind]} {kind}" for kind in ("judgments", "preferences") if kind in training]
    return [
        f"trained on  {' and '.join(counted)}: {files}",
        _fit(training),
        *(f"{'':<12}{line}" for line in (*weighted(training), *_start(training), *doubt(training))),
        *(line for key, name in STATISTICS.items() for line in _agreement(training, key, name)),
        *(f"{'':<12}{line}" for line in (*tried(training), *edge(training))),
    ]


def _fit(training: Mapping[str, Any]) -> str:
    """How the model was fitted; tuned costs have no lambda."""
    objective, strength = training.get("objective"), training.get("lambda")
    if strength is None:
        return f"fit         {objective}, {training.get('solver')}"
    return f"fit         {objective}, lambda {strength} ({training.get('lambda_choice')})"


def _start(training: Mapping[str, Any]) -> list[str]:
    starts = training.get("starts")
    return [f"start at {training['start']}, the best of {len(starts['objectives'])}"] if starts else []


def _agreement(training: Mapping[str, Any], key: str, name: str) -> list[str]:
    validated = training.get("cross_validated") or {}
    lines = []
    if key in training:
        lines.append(
            f"{name:<12}{figure(training[key])} in training{bracketed(training.get(f'{key}_interval'))}"
        )
    if key in validated:
        heading = "" if lines else name
        by = f"cross-validated by {validated.get('by')}{bracketed(validated.get('interval'))}"
        lines.append(f"{heading:<12}{figure(validated[key])} {by}")
        lines += [f"{'':<12}{name}: {told}" for name, told in started(training, key).items()]
    return lines


def _print_costs(model: Model) -> None:
    """Points of each edit, grouped: weights that people can read."""
    groups = edit_costs(model)
    if groups:
        print(
            f"points lost by one edit of a perfect translation of {WORDS} words; of a feature, by 0 rather than 1"
        )
    for title, costs in groups.items():
        print(f"  {title}")
        for cost in costs:
            print(f"    {cost.points:>+8.2f}  {cost.label}")
    print()


def _print_weights(model: Model) -> None:
    instances = model.training.get("instances", {})
    names = [name for group in weight_groups(model.weights).values() for name in group]
    width = max([len(name) for name in names], default=7)
    print(f"{'feature':{width}}  {'weight':>9}  {'instances':>10}")
    for name in names:
        print(f"{name:{width}}  {model.weights[name]:>+9.4f}  {instances.get(name, '-')!s:>10}")
