"""Check of plug-ins for the tests of a package: ``pfsm.testing.check("glossary", "matcher")``."""

import io
import json
import math
from argparse import ArgumentParser
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from importlib import import_module
from multiprocessing import get_context
from typing import Any

import numpy as np

from pfsm.data.formats import FORMATS, Judgment, Options, read_format, write_tsv
from pfsm.errors import PfsmError
from pfsm.evaluation.catalogue import SEGMENT_LEVEL
from pfsm.evaluation.measure import scored_items
from pfsm.features.values import counted_features
from pfsm.matchers.registry import MATCHERS
from pfsm.metrics.ngram_table import documents_of
from pfsm.metrics.registry import describe_feature, get_metric
from pfsm.model.builder import LatticeBuilder, TextReader
from pfsm.model.file import Model, model_at_work
from pfsm.model.metric import Metric
from pfsm.model.settings import Settings, settings_from_dict
from pfsm.registering import registered, restore
from pfsm.registry import KINDS, find_table, table
from pfsm.text.stemming import stemmer_named
from pfsm.text.vocabulary import Vocabulary

Pair = tuple[str, str]
# Sums in another order; networks compute in single precision, and add in another order where other lines stand beside.
TOLERANCES = {np.dtype(np.float64): 1e-12, np.dtype(np.float32): 1e-4}
# Hypotheses and references, the first once more at the end.
PAIRS: tuple[Pair, ...] = (
    ("The cat sat on the mat.", "A cat was sitting on the mat."),
    ("Prices rose by 3.5% in 2019, he said.", "In 2019 prices increased by 3.5 %, he said."),
    ("Das Mädchen liest l'été à Ærø", "Ein Mädchen las im Sommer auf Ærø"),
    ("猫がマットの上に座った。", "猫はマットの上にいた。"),
    ("قطة على الحصيرة", "كانت القطة على الحصيرة"),
    ("e\u0301 and é 👍🏽 a\u200bb", "é and e\u0301 👍 ab"),
    ("the " * 40, "the " * 35),
    ("", "A reference without a translation"),
    ("", ""),
    ("  two  spaces \t and a tab ", "two spaces and a tab"),
    ("The cat sat on the mat.", "A cat was sitting on the mat."),
)
ODD_LINES = ("\t", "\u00a0", "\u2028", "a" * 300, "\u0301", "👩‍👩‍👧", "\x00", "\ufeffa")


def check(
    name: str,
    kind: str | None = None,
    *,
    options: Mapping[str, Any] | None = None,
    samples: Sequence[Pair] = (),
    files: Sequence[str] = (),
) -> None:
    """Check that a plug-in does what pfsm relies on: whatever the kind, that its results depend on its input alone.

    Args:
        name: Of the plug-in; of an analyser ``NAME:ARGUMENT``, of a metric ``NAME(KEY=VALUE,…)``.
        kind: ``matcher``, ``metric``, …; needed where plug-ins of several kinds have the name.
        options: Of a matcher or format.
        samples: Hypotheses and references to try it on, in addition to built-in ones.
        files: Of a format: files to read.

    Raises:
        AssertionError: At the first fault; the message says what differs from what is needed.
        PfsmError: If there is no such plug-in, it cannot be used, or it refuses what it should accept.
    """
    bare = name.partition("(")[0].partition(":")[0]
    kinds = [one for one in KINDS if kind in {None, one} and bare in (find_table(one) or ())]
    if len(kinds) != 1:
        raise PfsmError(f"{name!r}: {f'choose one of {kinds}' if kinds else 'nothing has this name'}")
    found = table(kinds[0])[bare]  # raises an error if it cannot be used
    pairs, given = (*PAIRS, *samples), dict(options or {})
    lines = list(dict.fromkeys((*(line for pair in pairs for line in pair), *ODD_LINES)))
    match kinds[0]:
        case "matcher":
            learned = _learned_options(name, given, pairs)
            _repeats("model", "", _model_with_matcher(name, learned, pairs), pairs)
        case "metric":
            _check_metric(name, pairs)
        case "feature":
            _repeats("model", "", _model_with_feature(name, pairs), pairs)
        case "statistic":
            _check_statistic(name)
        case "format":
            _check_format(name, Options(**given), files)
        case "command":
            import_module(found.module).add_arguments(ArgumentParser())
        case other if other in {"tokeniser", "stemmer"} or table(other).tried is not None:
            _repeats(other, name, {}, lines)


def _results(kind: str, name: str, model: Any, items: Sequence[Any]) -> Any:
    """Return what a plug-in, or a model with it, gives for each pair or line."""
    if kind == "model":
        return Metric(model_at_work(model, "model"), 1).score_pairs(*_sides(items)).tolist()
    if kind == "metric":
        return get_metric(name).score_pairs(*_sides(items)).tolist()
    if kind == "tokeniser":
        return [Vocabulary(name, "none").tokens(line) for line in items]
    if kind == "stemmer":
        return stemmer_named(name).stems([line.lower() for line in items])
    return table(kind).tried(name, items)  # type: ignore[misc]


def _repeats(kind: str, name: str, model: Any, items: Sequence[Any], alone: bool = True) -> None:
    """Compare results with those of the same again, in another order, alone and in another process."""
    together, empty = (_results(kind, name, model, some) for some in (items, []))
    assert len(empty) == 0, f"it gives {empty!r} for nothing"
    others = {"the second time": _results(kind, name, model, items)}
    if alone:
        others["in reverse order"] = _results(kind, name, model, items[::-1])[::-1]
        others["alone"] = [one for item in items for one in _results(kind, name, model, [item])]
    with ProcessPoolExecutor(1, get_context("spawn"), restore, (registered(),)) as pool:
        others["in another process"] = pool.submit(_results, kind, name, model, items).result()
    for when, results in others.items():
        for item, one, other in zip(items, together, results, strict=True):
            assert _same(one, other), f"{item!r} gives {one!r}, but {when} {other!r}"


def _same(one: Any, other: Any) -> bool:
    """Whether two results are equal but for rounding."""
    if isinstance(one, tuple | list):
        return len(one) == len(other) and all(map(_same, one, other))
    if isinstance(one, float | np.floating | np.ndarray):
        tolerance = TOLERANCES.get(np.asarray(one).dtype, 0.0)
        return np.shape(one) == np.shape(other) and np.allclose(one, other, tolerance, tolerance, True)
    return bool(one == other)


def _sides(pairs: Sequence[Pair]) -> tuple[list[str], list[str]]:
    return [pair[0] for pair in pairs], [pair[1] for pair in pairs]


def _model_with_matcher(name: str, options: Mapping[str, Any], pairs: Sequence[Pair]) -> dict[str, Any]:
    """Return the document of a model with a weight on all that a matcher says of these pairs."""
    settings = {"matchers": list(dict.fromkeys(("word", name))), "max_block": 3}
    settings |= {"options": {name: options}} if options else {}
    batch = LatticeBuilder(settings_from_dict(settings, "settings")).build(*_sides(pairs)[::-1])
    names = (*batch.states[2:], *batch.arc_features.names, *batch.link_features.names)
    return _model(settings, {name: 1.0 / (2 + at) for at, name in enumerate(names)})


def _model_with_feature(name: str, pairs: Sequence[Pair]) -> dict[str, Any]:
    assert describe_feature(name), "it has no docstring, which `pfsm metrics` shows"
    (feature,) = counted_features([name], _sides(pairs)[1])
    settings = {"features": {feature: {"mean": 0.0, "sd": 1.0}}, "counts": documents_of([feature])}
    return _model(settings, {"S_word": 1.0, f"feature:{feature}": 0.25})


def _model(settings: Mapping[str, Any], weights: Mapping[str, float]) -> dict[str, Any]:
    found = settings_from_dict({"language": "xx", **settings}, "settings")
    document = _through_json(Model("x", found, {"Insert": -0.5, **weights}).to_dict())
    again = model_at_work(document, "model").settings
    assert again == found, f"a model file gives the settings {again}, not {found}"
    return document  # type: ignore[no-any-return]


def _through_json(value: Any) -> Any:
    return json.loads(json.dumps(value, allow_nan=False))


def _learned_options(name: str, options: Mapping[str, Any], pairs: Sequence[Pair]) -> dict[str, Any]:
    """Return the options of a matcher as a model file has them."""
    kind, (hypotheses, references) = MATCHERS[name], _sides(pairs)
    encoded = TextReader(Settings()).pairs(references, hypotheses)
    checked = kind.check(options, "options")
    learned, again = ((kind.learn(checked, encoded) if checked else {}) for _ in range(2))
    assert learned == again, f"learns {learned}, and then {again} from the same text"
    for one in (checked, learned):
        again = kind.check(_through_json(one), "options")
        assert again == one, f"the options {one} become {again} when they are checked again"
    said = _refusal(lambda: kind.check({**options, "no such option": 1}, "here"), "an unknown option")
    assert "here" in said, f"the message {said!r} does not begin with where the options stand"
    bad = [one for one in kind.build(1, learned).resources if not one.isprintable() or set(" |") & set(one)]
    assert not bad, f"a signature cannot hold the resources {bad}: they have spaces or bars in them"
    return learned


def _check_metric(name: str, pairs: Sequence[Pair]) -> None:
    metric, (hypotheses, references) = get_metric(name), _sides(pairs)
    _repeats("metric", name, {}, pairs, alone=metric.is_independent)
    for part, values in metric.named_parts(hypotheses, references).items():
        good = np.shape(values) == (len(pairs),) and np.isfinite(values).all()
        assert good, f"the part {part!r} is not one finite number for each pair"
    hypotheses, references = _sides([pair for pair in pairs if pair[1].strip()])
    once, same = metric.segment_scores(hypotheses, [references]), metric.score_pairs(hypotheses, references)
    assert _same(once, same), "with one reference segment_scores differs from score_pairs"
    twice = metric.segment_scores(hypotheses, [references, references])
    assert _same(once, twice), "a reference that is given twice changes scores"
    if metric.is_additive:
        whole = float(metric.corpus_score(hypotheses, [references]))
        halves = (slice(None, None, 2), slice(1, None, 2))
        sums = [metric.segment_statistics(hypotheses[at], [references[at]]).sum(axis=0) for at in halves]
        summed = float(metric.corpus_from_totals(np.sum(sums, axis=0)))
        assert math.isclose(summed, whole, rel_tol=1e-9), f"a corpus scores {whole}, by its parts {summed}"
    entry, signature = table("metric").plugin(name.partition("(")[0]), metric.get_signature(1)
    assert get_metric(name).get_signature(1) == signature, f"the signature {signature!r} differs, made anew"
    assert entry is None or entry.label in signature, f"the signature {signature!r} does not name its package"
    if metric.counted_over(()).is_independent:
        _repeats("model", "", _model_with_feature(name, pairs), pairs)


def _check_statistic(name: str) -> None:
    draws = np.random.default_rng(1)
    human = draws.normal(size=36).round(3)
    metric, segments = (human + draws.normal(size=36)).round(3), np.repeat(np.arange(12), 3)

    def measure(people: Any, of: Any) -> Any:
        items = scored_items(people, of, np.arange(people.size) % 3, np.ones(people.size))
        return SEGMENT_LEVEL[name].bind(items)

    people, scores = human.copy(), metric.copy()
    value = measure(people, segments).value(scores)
    assert [*people, *scores] == [*human, *metric], "it changes the arrays that it gets"
    order = draws.permutation(36)
    other = measure(human[order], segments[order]).value(metric[order])
    assert np.isclose(value, other, 1e-9, 1e-9, True), f"it gives {value}, in another order {other}"
    first, second = (measure(human, segments).resampled(metric.copy(), 20, 1) for _ in range(2))
    assert np.array_equal(first, second, equal_nan=True), f"resamples give {first} and then {second}"
    equal = np.ones(4), np.arange(4.0)
    for people, scores in (equal, equal[::-1], (np.ones(1), np.ones(1))):
        value = measure(people, np.arange(people.size)).value(scores)
        assert not np.isinf(value), f"it gives {value} for people's scores {people} and a metric's {scores}"


def _check_format(name: str, options: Options, files: Sequence[str]) -> None:
    def read(paths: Sequence[str]) -> list[Any]:
        return list(read_format(paths, options, name).records)

    assert FORMATS[name].summary, "it has no summary"
    for row, record in enumerate(read(files), 1):
        numbers = (record.score,) if isinstance(record, Judgment) else (record.votes, record.votes_against)
        assert all(map(math.isfinite, numbers)), f"record {row} has the numbers {numbers}"
    rows = write_tsv(read_format(files, options, name), io.StringIO()).rows
    assert rows or not files, "it finds nothing in its files"
    said = _refusal(lambda: read(["/no such file"]), "a file that is not there")
    assert "\n" not in said, f"the message has several lines: {said}"


def _refusal(work: Callable[[], object], what: str) -> str:
    try:
        work()
    except PfsmError as error:
        return str(error)
    raise AssertionError(f"it accepts {what}; raise PfsmError")
