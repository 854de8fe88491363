"""What ``pfsm train`` does: reads judgments, learns, says how far to trust what was learned; it brings PyTorch."""

import math
from argparse import Namespace
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, replace
from functools import partial
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from pfsm.commands.arguments import model_name
from pfsm.commands.evaluation_sources import Inputs, Scorer
from pfsm.commands.show import STATISTICS
from pfsm.commands.spans import compared, marked_translations, print_rows
from pfsm.data import (
    Judgments,
    Preferences,
    Table,
    is_preferences,
    judgments_from_table,
    preferences_from_table,
)
from pfsm.data.formats.registry import read_judged
from pfsm.data.groups import group_names
from pfsm.data.judgments import TARGET_LANGUAGE, joined_tables
from pfsm.distributed import need_packages
from pfsm.errors import PfsmError
from pfsm.evaluation import default_seed, pearson, preference_counts
from pfsm.evaluation.bootstrap import group_members
from pfsm.evaluation.comparison import listed
from pfsm.io.files import is_stream
from pfsm.io.named_resources import find, parted
from pfsm.metrics.inputs import columns_of
from pfsm.model.file import Model, save_model
from pfsm.model.metric import Metric
from pfsm.model.references import resources_of
from pfsm.model.shipped import find_model
from pfsm.model.training_record import bracketed, doubt, edge, figure, started, tried, weighted
from pfsm.runtime.terminal import Stage, error_line
from pfsm.runtime.threads import default_threads
from pfsm.text.language_names import english_name, looks_foreign
from pfsm.text.scripts import needs_spaces, refuse_text
from pfsm_training.config import TrainingConfig, config_from_dict, read_config
from pfsm_training.data.training_set import Encoder, encode_here
from pfsm_training.error_spans import Lesson
from pfsm_training.fit.checkpoint import Checkpoint
from pfsm_training.fit.crossval import FEWEST_HELD_OUT
from pfsm_training.fit.plan import COLUMN, GIVEN, Plan, resolve
from pfsm_training.lattices.store import lattice_memory
from pfsm_training.report import write_report
from pfsm_training.trainer import carry_out

if TYPE_CHECKING:
    from pfsm_training.fit.training import Training

# For the intervals of what `--spans` learns.
RESAMPLES = 1000
# Of standard deviations of files' scores, before they are taken for different scales.
UNLIKE = 3.0
FILE = "file"
# The name of an empty configuration.
WORDS = "words"
# A sentence pair with more word pairs than this costs as much as thousands of others.
LARGE_PAIR = 1_000_000


def learn(options: Namespace, checkpoint: str | None) -> None:
    """Trains, reports, writes; ``checkpoint`` is the file in which iterations are kept, where they are."""
    init = find_model(options.init) if options.init is not None else None
    config = _config(options, init)
    if config is not None and config.encoder is not None and is_stream(options.output):
        raise PfsmError(f"{options.output}: with encoder, two files are written; --output must name a file")
    dev = None if options.dev is None else _judged(read_judged(options.dev, options.score_column), options)
    plan = resolve(
        *_read(options),
        config=config,
        init=init,
        language=options.language,
        score_column=options.score_column,
        folds_by=options.folds_by,
        threads=options.threads,
        processes=options.threads or default_threads(),
    )
    if dev is not None:
        for column in columns_of(tuple(plan.settings.features)):
            dev.numbers(column)
    _check_text(plan, options)
    if word := _language_notice(plan):
        error_line(f"pfsm: {word}")
    kept_iterations = None if checkpoint is None else Checkpoint(checkpoint, resume=options.resume)
    kept: list[Training] = []
    hint = ""
    with _encoder(options) as encoder:
        model = carry_out(
            plan,
            name=options.name,
            licence=options.licence,
            encoder=encoder,
            checkpoint=kept_iterations,
            after=None if options.report is None else kept.append,
        )
        if options.standardise_by is not None:
            model = replace(model, training={**model.training, "standardise_by": options.standardise_by})
        save_model(replace(model, name=options.name), options.output)
        if kept_iterations is not None:
            kept_iterations.remove()
        for training in kept:
            record = training.model.training
            notes = [*weighted(record), *doubt(record), *edge(record)]
            hint = write_report(training, options.report, notes)
    _report(model, len(plan.folds.names), hint)
    if dev is not None:
        print(_dev_agreement(model, dev, options))
    print(f"wrote {options.output}{'' if options.report is None else f' and {options.report}'}")
    for name in resources_of(model.settings):
        bare, _ = parted(name)
        value = "command:PROGRAM" if (find(bare) or "").startswith("command:") else "PATH"
        print(f"  it needs {name}: who uses the file must say --resource {bare}={value}")


def learn_errors(options: Namespace) -> None:
    """Learns what finds errors, says how well it finds those it has not seen, and writes it with the model."""
    for option in ("config", "dev", "report", "scheduler", "standardise_by"):
        if getattr(options, option) is not None:
            raise PfsmError(
                f"--spans learns where errors are, not what they cost, so leave --{option.replace('_', '-')} out"
            )
    model = find_model(model_name(options, options.init))
    tables = [*map(read_judged, options.data)]
    translations = [one for table in tables for one in marked_translations(table)]
    if options.folds_by is not None:
        units = [unit for table in tables for unit in group_names(table, options.folds_by)]
        translations = [replace(one, unit=unit) for one, unit in zip(translations, units, strict=True)]
    lesson = Lesson(Metric(model, options.threads), translations, ", ".join(options.data))
    found = lesson.learned(range(len(translations)))
    seed = default_seed()
    held_out = lesson.held_out()
    spans = {
        f"{model.name}, as it was": lesson.as_it_was,
        **({"learned, held out": held_out} if held_out else {}),
    }
    print_rows(len(translations), compared(translations, spans, RESAMPLES, seed))
    print(f"\nan error is major from {found.major:.2f} points on")
    data = [Path(path).name for path in options.data]
    record = {**model.training, "errors": {**asdict(found), "data": data, "translations": len(translations)}}
    save_model(replace(model, name=options.name, training=record), options.output)
    print(f"wrote {options.output}")


def _config(options: Namespace, init: Model | None) -> TrainingConfig | None:
    """Return the configuration of the options; None for the standard one."""
    if options.config is None:
        return None
    if options.config == WORDS:
        return config_from_dict({}, WORDS, init)
    config = read_config(options.config, init)
    named = config.settings.language
    if options.language is not None and "language" in config.own and named != options.language:
        raise PfsmError(
            f"--language is {options.language}, but {options.config} says {named}; leave out one of them"
        )
    return config


def _language_notice(plan: Plan) -> str:
    """Say which language a column of the data names, or warn that nothing says which it is."""
    if plan.language_from == COLUMN:
        return f"{english_name(plan.settings.language)}, as the column {TARGET_LANGUAGE} says"
    if plan.language_from == GIVEN or "tokeniser" in plan.config.own or not looks_foreign(plan.references):
        return ""
    return (
        "warning: no language is given, so the text is read as English (Penn tokens, Porter stems), which it does not "
        "look like; --language NAME says what it is"
    )


def _check_text(plan: Plan, options: Namespace) -> None:
    if not plan.settings.edits or options.force or not needs_spaces(plan.settings.tokeniser):
        return
    what = f"the tokeniser {plan.settings.tokeniser}"
    for part in plan.data:
        if part is not None:
            lines = chain.from_iterable(part.all_references)
            refuse_text(what, lines, "--language NAME chooses a tokeniser")


@contextmanager
def _encoder(options: Namespace) -> Iterator[Encoder]:
    if options.scheduler is None:
        yield partial(encode_here, memory=lattice_memory())
        return
    need_packages("distributed")
    from pfsm.distributed.cluster import open_cluster  # noqa: PLC0415 - brings Dask
    from pfsm_training.data.distributed import encode_on  # noqa: PLC0415 - brings Dask

    with open_cluster(options.scheduler) as cluster:
        yield partial(encode_on, cluster)


def _judged(table: Table, options: Namespace) -> Judgments | Preferences:
    if is_preferences(table):
        return preferences_from_table(table)
    return judgments_from_table(table, options.score_column)


def _read(options: Namespace) -> tuple[Judgments | None, Preferences | None]:
    with Stage("training", "reading", patience=0.5):
        tables = [read_judged(path, options.score_column) for path in options.data]
        scored, preferences = joined_tables(tables, options.score_column)
    if options.standardise_by is not None:
        if scored is None:
            raise PfsmError("--standardise-by is for scores, and these files have preferences alone")
        scored = _standardised(scored, options.standardise_by)
    elif scored is not None and (doubt := _doubt_of_scales(scored)):
        error_line(f"pfsm: warning: {doubt}")
    for table in tables:
        for warning in _warnings(table, options.score_column):
            error_line(f"pfsm: warning: {warning}")
    return scored, preferences


def _by_file(scored: Judgments) -> dict[str, NDArray[np.int64]]:
    """Rows of each file."""
    assert scored.places is not None
    return group_members([scored.places.files[file] for file in scored.places.file.tolist()], len(scored))


def _standardised(scored: Judgments, by: str) -> Judgments:
    """Scores of mean 0 and standard deviation 1 within each file, or each value of a column."""
    parts = _by_file(scored) if by == FILE else group_members(group_names(scored, by), len(scored))
    scores = scored.scores.copy()
    for name, rows in parts.items():
        spread = np.ptp(scores[rows])
        if not spread:
            raise PfsmError(
                f"{name}: all {rows.size} scores are {scores[rows[0]]:g}; they cannot be standardised"
            )
        # Scaled first: squares of the largest numbers overflow.
        part = (scores[rows] - scores[rows].mean()) / spread
        scores[rows] = part / part.std()
    return replace(scored, scores=scores)


def _doubt_of_scales(scored: Judgments) -> str:
    """What speaks against one scale of all files: spreads that differ threefold, or ranges that do not touch."""
    parts = {name: scored.scores[rows] for name, rows in _by_file(scored).items()}
    spreads = [spread for part in parts.values() if (spread := float(np.ptp(part)) and float(part.std()))]
    apart = max(part.min() for part in parts.values()) > min(part.max() for part in parts.values())
    if len(parts) < 2 or not (apart or (spreads and max(spreads) >= UNLIKE * min(spreads))):
        return ""
    ranges = [f"{name} {part.min():g} to {part.max():g}" for name, part in parts.items()]
    return f"scores of {listed(ranges)} look like different scales; --standardise-by {FILE} makes them one"


def _warnings(table: Table, score_column: str) -> Iterator[str]:
    if is_preferences(table) and score_column in table.columns:
        yield f"{table.path}: read as preferences (better, worse); its column {score_column} is not used"
    references = table.columns["reference"]
    for column in ("hypothesis", "better", "worse"):
        pairs = zip(references, table.columns.get(column, ()), strict=False)
        for row, (reference, translation) in enumerate(pairs, 1):
            words = len(reference.split()), len(translation.split())
            if words[0] * words[1] > LARGE_PAIR:
                yield (
                    f"{table.path}: row {row}: a pair of {words[0]:,} and {words[1]:,} words ({column}); such pairs "
                    "make training slow"
                )
                break


def _dev_agreement(model: Model, dev: Judgments | Preferences, options: Namespace) -> str:
    metric = Metric(model, options.threads)
    metric.language_looked_at = True  # as training has done
    scorer = Scorer(metric)
    if isinstance(dev, Preferences):
        better, worse = scorer.scores(Inputs((), None, dev, None), pairwise=True).T
        tau = preference_counts(better, worse, dev.votes).kendall_tau("wmt12")
        return f"Kendall tau, {options.dev}: {figure(tau)}"
    r = pearson(scorer.scores(Inputs((), dev, None, None), pairwise=False), dev.scores)
    return f"Pearson r, {options.dev}: {figure(r)}"


def _report(model: Model, n_folds: int, hint: str) -> None:
    training = model.training
    counted = [f"{training[kind]} {kind}" for kind in ("judgments", "preferences") if kind in training]
    mixed = f", mixture {training['mixture']:g}" if "mixture" in training else ""
    weights = f"{len(model.weights)} weights, lambda {training['lambda']:g}{mixed}"
    print(f"trained on {' and '.join(counted)}: {weights}")
    if not training["converged"]:
        print(
            f"  stopped after {training['iterations']} iterations before the gradient vanished; the model is usable"
        )
    for line in (*weighted(training), *doubt(training)):
        print(f"  {line}")
    validated = training["cross_validated"]
    validated_key = next(key for key in STATISTICS if key in validated)
    rows = {
        f"{name}, training data": f"{figure(training[key])}{bracketed(training[f'{key}_interval'])}"
        for key, name in STATISTICS.items()
        if key in training
    }
    heading = f"{STATISTICS[validated_key]}, cross-validated"
    agreement = f"{figure(validated[validated_key])}{bracketed(validated['interval'])}"
    rows |= {heading: f"{agreement}{_folds(training, n_folds)}", **started(training, validated_key)}
    found = training["overfitting"]
    if found["difference"] is not None:
        rows["difference, within folds"] = f"{figure(found['difference'])}{bracketed(found['interval'])}"
    for name, told in rows.items():
        print(f"{f'{name}:':<{len(heading) + 1}} {told}")
    for line in filter(None, (*tried(training), *edge(training), hint)):
        print(f"  {line}")


def _folds(training: Mapping[str, Any], n_folds: int) -> str:
    """The statistic of each fold, or the reason why it is undefined."""
    validated = training["cross_validated"]
    if validated["folds"]:
        folds = "  ".join(f"{name} {value:.3f}" for name, value in validated["folds"].items())
        return f"  (by {validated['by']}: {folds})"
    if n_folds < 2:
        return ": a single segment"
    if training.get("judgments", math.inf) < FEWEST_HELD_OUT * n_folds:
        return f": fewer than {FEWEST_HELD_OUT} judgments in each fold, too few for a correlation"
    return ": in every fold, all predictions or all scores are equal"
