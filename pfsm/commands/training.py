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

from pfsm.commands.arguments import model_name, refuse_text
from pfsm.commands.evaluation_sources import Inputs, Scorer
from pfsm.commands.show import STATISTICS, interval, number
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
from pfsm.io.files import is_stream
from pfsm.io.named_resources import find, parted
from pfsm.metrics.inputs import columns_of
from pfsm.model.file import Model, save_model
from pfsm.model.metric import Metric
from pfsm.model.references import resources_of
from pfsm.model.settings import Settings
from pfsm.model.shipped import find_model
from pfsm.model.training_record import doubt, edge, started, tried, weighted
from pfsm.runtime.progress import Stage, error_line
from pfsm.runtime.threads import default_threads
from pfsm.text.language_names import english_name, looks_foreign
from pfsm.text.languages import language_code
from pfsm.text.scripts import needs_spaces
from pfsm_training.config import (
    TrainingConfig,
    config_from_dict,
    in_language,
    is_given,
    language_of,
    read_config,
    settings_to_train,
    weighing,
    with_knowledge,
)
from pfsm_training.data.training_set import Encoder, encode_here
from pfsm_training.error_spans import Lesson
from pfsm_training.fit.checkpoint import Checkpoint
from pfsm_training.fit.crossval import FEWEST_HELD_OUT, make_folds
from pfsm_training.lattices.store import lattice_memory
from pfsm_training.report import write_report
from pfsm_training.trainer import train

if TYPE_CHECKING:
    from pfsm_training.fit.training import Training

# For the intervals of what `--spans` learns.
RESAMPLES = 1000
# The name of an empty configuration.
WORDS = "words"
# A sentence pair with more word pairs than this costs as much as thousands of others.
LARGE_PAIR = 1_000_000


def learn(options: Namespace, checkpoint: str | None) -> None:
    """Trains, reports, writes; ``checkpoint`` is the file in which iterations are kept, where they are."""
    init = find_model(options.init) if options.init is not None else None
    config = _config(options, init)
    if config.encoder is not None and is_stream(options.output):
        raise PfsmError(f"{options.output}: with encoder, two files are written; --output must name a file")
    dev = None if options.dev is None else _judged(read_judged(options.dev, options.score_column), options)
    if dev is not None:
        for column in columns_of(tuple(settings_to_train(None, config, init).features)):
            dev.numbers(column)
    judgments, preferences = _read(options, config)
    word = ""
    if init is None:
        config, word = _with_language(config, judgments, preferences)
        config = with_knowledge(config) if options.config is None else config
    _check_text(settings_to_train(None, config, init), judgments, preferences, options)
    if word:
        error_line(f"pfsm: {word}")
    kept_iterations = None if checkpoint is None else Checkpoint(checkpoint, resume=options.resume)
    kept: list[Training] = []
    hint = ""
    with _encoder(options) as encoder:
        model = train(
            judgments,
            preferences=preferences,
            config=config,
            init=init,
            name=options.name,
            licence=options.licence,
            score_column=options.score_column,
            folds_by=options.folds_by,
            threads=options.threads,
            processes=options.threads or default_threads(),
            encoder=encoder,
            checkpoint=kept_iterations,
            after=None if options.report is None else kept.append,
        )
        save_model(replace(model, name=options.name), options.output)
        if kept_iterations is not None:
            kept_iterations.remove()
        for training in kept:
            record = training.model.training
            notes = [*weighted(record), *doubt(record), *edge(record)]
            hint = write_report(training, options.report, notes)
    folds = make_folds(judgments or None, preferences, options.folds_by)
    _report(model, len(folds.names), hint)
    if dev is not None:
        print(_dev_agreement(model, dev, options))
    print(f"wrote {options.output}{'' if options.report is None else f' and {options.report}'}")
    for name in resources_of(model.settings):
        bare, _ = parted(name)
        value = "command:PROGRAM" if (find(bare) or "").startswith("command:") else "PATH"
        print(f"  it needs {name}: who uses the file must say --resource {bare}={value}")


def learn_errors(options: Namespace) -> None:
    """Learns what finds errors, says how well it finds those it has not seen, and writes it with the model."""
    for option in ("config", "dev", "report", "scheduler"):
        if getattr(options, option) is not None:
            raise PfsmError(f"--spans learns where errors are, not what they cost, so leave --{option} out")
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


def _config(options: Namespace, init: Model | None) -> TrainingConfig:
    config = (
        read_config(options.config, init)
        if options.config not in (None, WORDS)
        else config_from_dict({}, "config", init)
    )
    if options.language is None:
        return config
    named = config.given.get("language")
    if named is not None and language_code(str(named)) != options.language:
        raise PfsmError(
            f"--language is {options.language}, but {options.config} says {named}; leave out one of them"
        )
    where = options.config or "--language"
    return config_from_dict({**config.given, "language": options.language}, where, init)


def _with_language(
    config: TrainingConfig, judgments: Judgments | None, preferences: Preferences | None
) -> tuple[TrainingConfig, str]:
    """The configuration in the language of the data, and a clear word where nothing says which it is."""
    if is_given(config):
        return config, ""
    language = language_of(judgments, preferences)
    if language is not None:
        named = f"{english_name(language)}, as the column {TARGET_LANGUAGE} says"
        return in_language(config, language), named
    references = [line for part in (judgments, preferences) if part is not None for line in part.references]
    if "tokeniser" in config.given or not looks_foreign(references):
        return config, ""
    return config, (
        "warning: no language is given, so the text is read as English (Penn tokens, Porter stems), which it does not "
        "look like; --language NAME says what it is"
    )


def _check_text(
    settings: Settings, judgments: Judgments | None, preferences: Preferences | None, options: Namespace
) -> None:
    if not settings.edits or options.force or not needs_spaces(settings.tokeniser):
        return
    what = f"the tokeniser {settings.tokeniser}"
    for part in (judgments, preferences):
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


def _read(options: Namespace, config: TrainingConfig) -> tuple[Judgments | None, Preferences | None]:
    with Stage("training", "reading", patience=0.5):
        tables = [read_judged(path, options.score_column) for path in options.data]
        scored, preferences = joined_tables(tables, options.score_column)
    for table in tables:
        for warning in _warnings(table, options.score_column):
            error_line(f"pfsm: warning: {warning}")
    judgments = weighing(scored, preferences, config.weights)
    files = ", ".join(options.data)
    if judgments:
        if judgments.scores.min() == judgments.scores.max():
            raise PfsmError(
                f"{files}: {options.score_column} is {judgments.scores[0]:g} on every row "
                f"({len(judgments)}), scores that differ are needed to learn from"
            )
    elif preferences is not None and not preferences.votes.any():
        raise PfsmError(f"{files}: votes is 0 on every row, there is nothing to learn from")
    return judgments, preferences


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
        return f"Kendall tau, {options.dev}: {number(tau)}"
    r = pearson(scorer.scores(Inputs((), dev, None, None), pairwise=False), dev.scores)
    return f"Pearson r, {options.dev}: {number(r)}"


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
        f"{name}, training data": f"{number(training[key])}{interval(training[f'{key}_interval'])}"
        for key, name in STATISTICS.items()
        if key in training
    }
    heading = f"{STATISTICS[validated_key]}, cross-validated"
    agreement = f"{number(validated[validated_key])}{interval(validated['interval'])}"
    rows |= {heading: f"{agreement}{_folds(training, n_folds)}", **started(training, validated_key)}
    found = training["overfitting"]
    if found["difference"] is not None:
        rows["difference, within folds"] = f"{number(found['difference'])}{interval(found['interval'])}"
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
