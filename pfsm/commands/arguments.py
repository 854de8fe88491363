"""What options that several commands share name: models and metrics, languages, test sets."""

import warnings
from argparse import Namespace
from collections.abc import Iterable
from itertools import tee

from pfsm.commands.output import tell
from pfsm.data.segments import left_out_text
from pfsm.errors import PfsmError, PfsmNote, PfsmWarning
from pfsm.metrics import SegmentMetric, get_metric
from pfsm.metrics.base import Level
from pfsm.metrics.inputs import NumberOfReferences
from pfsm.metrics.names import language_options, needs_spaces
from pfsm.model.metric import Metric
from pfsm.model.shipped import ANY_MODEL, DEFAULT_MODEL, load, model_for, shipped_models
from pfsm.text.language_names import ANY, doubt_of_english, english_name, main_code
from pfsm.text.scripts import refuse_text


def open_scorers(options: Namespace) -> list[SegmentMetric]:
    """The models and metrics that ``@scorers`` name, in their order; the default model if they name none."""
    return [
        named_metric(name, options) if kind == "metric" else opened_model(name, options)
        for kind, name in given_scorers(options) or [("model", model_name(options))]
    ]


def given_scorers(options: Namespace) -> list[tuple[str, str]]:
    """What ``@scorers`` name, in their order; a line where a language was named, but its model left out."""
    given: list[tuple[str, str]] = options.scorers or []
    language = options.language
    metrics_alone = bool(given) and all(kind == "metric" for kind, _ in given)
    if language is not None and metrics_alone and not getattr(options, "quiet", False):
        left_out = f"--model {model_for(language)} adds the model for {english_name(language)}"
        tell(f"{', '.join(name for _, name in given)} alone; {left_out}")
    for place, scorer in enumerate(given):
        if scorer in given[:place]:
            raise PfsmError(f"--{scorer[0]} {scorer[1]}: given twice; give each model and metric once")
    return given


def open_scorer(options: Namespace) -> SegmentMetric:
    """The model or metric that ``@scorer`` names; the default model if it names none."""
    if options.metric is None:
        return opened_model(model_name(options, options.model), options)
    if options.model is not None:
        raise PfsmError("give either --model or --metric, not both")
    return named_metric(options.metric, options)


def opened_model(name: str, options: Namespace) -> Metric:
    """A model, which may use as many processes as threads: a command has no threads that they would lack."""
    metric = load(name, options.threads)
    metric.processes = metric.threads
    return metric


def named_metric(name: str, options: Namespace) -> SegmentMetric:
    """A metric, for ``--language`` where it is given."""
    if any(model.name == name for model in shipped_models()):
        raise PfsmError(f"unknown metric {name!r}; it is a model: --model {name}")
    language: str | None = options.language
    return get_metric(name, **({} if language is None else language_options(name, language)))


def model_name(options: Namespace, given: str | None = None) -> str:
    """The model that ``--model`` gives, or the one for ``--language``, or the default; says what a language means."""
    language: str | None = options.language
    if given is not None or language is None:
        return DEFAULT_MODEL if given is None else given
    name = model_for(language)
    if not getattr(options, "quiet", False):
        kind = "the model for any language" if name == ANY_MODEL else "its model"
        tell(f"{english_name(language)}: {kind}, {name}")
    return name


def _doubt(metric: Metric, lines: Iterable[str], language: str | None) -> str:
    """What speaks against a model: another language was named, or none, and the text is not its English."""
    if language is None:
        doubt = doubt_of_english(metric.name, metric.language, lines)
        return f"{doubt}; --language NAME chooses a model" if doubt else ""
    own = main_code(metric.language)
    about = f"model {metric.name} is for {english_name(own)}"
    return "" if own in {ANY, main_code(language)} else f"{about}, the language is {english_name(language)}"


def check_text(metric: SegmentMetric, lines: Iterable[str], options: Namespace) -> None:
    """Refuses text that a model or metric cannot take apart into words, unless ``--force`` is given.

    Warns of a model for another language than that of ``--language``; without it, of a model for English where the text
    does not look English.
    """
    doubt = ""
    if isinstance(metric, Metric):
        lines, looked_at = tee(lines)
        doubt = _doubt(metric, looked_at, options.language)
        del looked_at
        metric.language_looked_at = True
        what, blind = f"model {metric.name}", metric.needs_spaces
        other = f"--language NAME chooses a model (`{ANY_MODEL}` is for any language)"
    else:
        what, blind = f"metric {metric.name}", needs_spaces(metric.origin or metric.name)
        other = "--language NAME chooses a tokeniser"
        if options.language is not None:
            language = english_name(options.language)
            other = f"--language {language} does not change that; --metric chrf compares characters"
        elif what == "metric ter":
            other += " for Chinese and Japanese; --metric chrf compares characters"
    if blind and not options.force:
        refuse_text(what, lines, other)
    if doubt:
        warnings.warn(doubt, PfsmWarning, stacklevel=2)


def heading(metric: SegmentMetric, nrefs: NumberOfReferences, level: Level, options: Namespace) -> str:
    """What text output calls a metric: its short or its long signature, as ``--signature`` says."""
    if options.signature == "long":
        return f"{metric.name}|{metric.get_signature(nrefs, level)}"
    return metric.get_short_signature(nrefs, level)


def signatures(metric: SegmentMetric, nrefs: NumberOfReferences, level: Level) -> dict[str, str]:
    """A metric's signatures, as documents have them."""
    return {
        "signature": metric.get_signature(nrefs, level),
        "short_signature": metric.get_short_signature(nrefs, level),
    }


def note_skipped(left_out: int, total: int, options: Namespace) -> None:
    """Says on standard error how many segments ``--skip-missing-references`` has left out, where it is given."""
    if options.skip_missing_references and not getattr(options, "quiet", False):
        tell(f"note: {left_out_text(left_out, total)}")


def hush(options: Namespace) -> None:
    """Silences warnings, or makes them errors, as options say, until `warnings.catch_warnings` ends."""
    if getattr(options, "strict", False):
        warnings.simplefilter("error", PfsmWarning)
        warnings.simplefilter("ignore" if options.quiet else "default", PfsmNote)
    elif options.quiet:
        warnings.simplefilter("ignore", PfsmWarning)


def reference_paths(options: Namespace) -> list[str]:
    """The reference files: those that are given, or those of the test set that ``@test-set`` names."""
    given: list[str] = options.references
    if options.test_set is None:
        if options.language_pair is not None:
            raise PfsmError("--language-pair goes with --test-set NAME")
        return given
    if given:
        raise PfsmError(
            f"give either reference files or --test-set, not both; {given[0]} is a reference file"
        )
    from pfsm.commands.test_sets import cached_references  # noqa: PLC0415 - only where a test set is asked for

    return list(map(str, cached_references(options.test_set, options.language_pair, options.download)))
