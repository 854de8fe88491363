"""The checks of each kind of plug-in: ``pfsm plugins check NAME``, and `failures` for the tests of a plug-in."""

import io
import json
import math
import pickle
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from operator import eq
from typing import Any, get_args

import numpy as np
from numpy.typing import NDArray

from pfsm.arrays import Float
from pfsm.conformance.checks import (
    PAIRS,
    Result,
    Subject,
    Trial,
    depends_on_nothing_else,
    hold,
    in_another_process,
    same_of_all,
    signable,
    through_json,
)
from pfsm.data.formats import FORMATS, Judgment, Options, Reading, read_format, write_tsv
from pfsm.data.formats.records import REQUIRED, Record
from pfsm.errors import PfsmError
from pfsm.evaluation.catalogue import SEGMENT_LEVEL
from pfsm.evaluation.measure import Measure, scored_items
from pfsm.features.values import check_feature, counted_features, feature_signature, feature_values
from pfsm.lattice.names import INSERT
from pfsm.matchers.protocol import Annotator, EncodedPairs, Matcher, MatcherKind
from pfsm.matchers.registry import MATCHERS
from pfsm.metrics.base import Level, SegmentMetric
from pfsm.metrics.ngram_table import documents_of
from pfsm.metrics.registry import describe_feature, get_metric
from pfsm.model.file import Model, model_at_work
from pfsm.model.metric import Metric
from pfsm.model.settings import Settings, settings_from_dict
from pfsm.registry import own, table
from pfsm.text.languages import tokeniser_named
from pfsm.text.stemming import stemmer_named
from pfsm.text.vocabulary import Vocabulary

Score = Callable[[Sequence[str], Sequence[str]], Float]
BLOCKS = (1, 3)
# A block as (i, p, j, q), with its features; of an annotator also with its link features.
Said = list[tuple[tuple[int, ...], tuple[tuple[str, float], ...]]]
# Sums in another order: of n numbers of similar size; statistics.
ROUNDING, OF_STATISTICS = 1e-12, 1e-9
# Segments of the made-up data for statistics, and translations of each.
SEGMENTS, TRANSLATIONS = 12, 3
RESAMPLES, SEED = 20, 1
ODD_LINES = ("", " ", "\t", "\u00a0", "\u2028", "a" * 300, "\u0301", "👩‍👩‍👧", "\x00", "\ufeffa")
ODD_WORDS = ("", "'", "l'eau", "ß", "ﬁ", "ı", "日本", "a" * 300, "\u0301", "👍")


def failures(
    kind: str,
    name: str,
    *,
    options: Mapping[str, Any] | None = None,
    samples: Sequence[tuple[str, str]] = (),
    files: Sequence[str] = (),
) -> list[str]:
    """What ``pfsm plugins check`` finds wrong, as a list of lines: for the tests of a plug-in.

    Args:
        kind: ``matcher``, ``metric``, …
        name: Of the plug-in; of an analyser ``NAME:ARGUMENT``, of a metric ``NAME(KEY=VALUE,…)``.
        options: Of a matcher or format.
        samples: Hypotheses and references to try it on, in addition to built-in ones.
        files: Of a format: files to read.

    Raises:
        PfsmError: If there is no plug-in of this name.
    """
    found: list[Result] = []
    check(kind, subject_of(kind, name, options or {}, samples, files), found.append)
    return [f"{result.name}: {result.fault}" for result in found if result.fault]


def check(kind: str, subject: Subject, report: Callable[[Result], None]) -> None:
    """Runs all checks of a kind, and reports what comes of each."""
    checks = kinds_checked()
    if kind in checks:  # of others all that is known is that they can be used
        checks[kind](Trial(report), subject)


def kinds_checked() -> Mapping[str, Callable[[Trial, Subject], None]]:
    """Return the checks by kind: those of this module, and those that our other packages offer."""
    return _CHECKS | {kind: point.load() for kind, point in own("check").items()}


def subject_of(
    kind: str, name: str, options: Mapping[str, Any], samples: Sequence[tuple[str, str]], files: Sequence[str]
) -> Subject:
    """What is to be checked; arguments as of `failures`.

    Raises:
        PfsmError: If there is no such plug-in, or it cannot be used.
    """
    bare = name.partition("(")[0].partition(":")[0]
    entry = next((entry for entry in table(kind).plugins() if entry.name in {name, bare}), None)
    if entry is None:
        raise PfsmError(f"there is no plug-in {kind} {name!r}")
    table(kind).loaded(entry)
    return Subject(entry, name, options, (*PAIRS, *samples), tuple(files))


def _matcher(trial: Trial, subject: Subject) -> None:
    name, samples = subject.entry.name, subject.samples
    kind = cache(lambda: MATCHERS[name])
    options = cache(lambda: kind().check(subject.options, f"options of {name}"))

    def learn() -> dict[str, Any]:
        return kind().learn(options(), _encoded(samples)) if options() else {}

    learned = cache(learn)

    def made(max_block: int) -> Matcher:
        return kind().build(max_block, learned())

    model = cache(lambda: _model_with(name, kind().state, learned()))
    with trial("it can be made, and has the name and state that it is registered with"):
        for size in BLOCKS:
            kind().build(size, options())
    with trial("options come back unchanged through JSON, and checking them again changes nothing"):
        hold(isinstance(options(), dict), f"check() gives {options()!r}, not a dict")
        again = kind().check(through_json(options()), "options")
        hold(again == options(), f"{options()} become {again}")
    with trial("an unknown option is refused"):
        _refuses_options(kind(), subject.options)
    with trial("what it learns from training text are options"):
        again = kind().check(through_json(learned()), "learned options")
        hold(again == learned(), f"{learned()} become {again}")
        twice = learn()
        hold(twice == learned(), f"learns {learned()}, and then {twice} from the same text")
    with trial("resources are names that a signature can hold"):
        resources = made(1).resources
        bad = [one for one in resources if not isinstance(one, str) or not signable(one)]
        hold(not bad, f"{next(iter(bad), '')!r} has spaces or bars in it")
        hold(resources == made(1).resources, "a matcher made anew has others")
    with trial("offers lie inside their pairs, once each, with finite features of its own name") as result:
        offers = [_said(made(size), samples) for size in BLOCKS]
        if not any(any(one) for one in offers):
            result.note = "it said nothing of these pairs; give others with --sample"
    with trial("the same pairs give the same, from a matcher made anew too"):
        for size in BLOCKS:
            first, other = (_said(made(size), samples) for _ in range(2))
            same_of_all(samples, first, other, "from a matcher made anew")
    with trial("what it says of a pair depends on nothing but the pair"):
        for matcher in map(made, BLOCKS):
            depends_on_nothing_else(lambda some: _said(matcher, some), samples)  # noqa: B023 - run at once
    with trial("empty lines and empty batches"):
        for lines in ((), (("", ""),), (("", "a b"), ("a b", ""))):
            hold(not any(_said(made(1), lines)), "says something of empty lines")
    with trial("a model with it can be written, read and sent, and its scores are finite"):
        sent: Settings = pickle.loads(pickle.dumps(model().settings))
        hold(sent == model().settings, "settings do not come back unchanged through pickle")
        for one in (model(), _read_again(model())):
            _finite(one, subject)
    with trial("another process gives the same scores"):
        there = in_another_process(_model_scores, json.dumps(model().to_dict()), *subject.sides)
        here = Metric(model(), 1).score_pairs(*subject.sides)
        hold(np.array_equal(here, there), "scores differ there")


def _refuses_options(kind: MatcherKind, options: Mapping[str, Any]) -> None:
    try:
        kind.check({**options, "no such option": 1}, "here")
    except PfsmError as error:
        said = f"the message {str(error)!r} does not begin with where the options stand"
        hold("here" in str(error), said)
    else:
        raise PfsmError("check() accepts the option 'no such option'; raise PfsmError")


def _model_with(matcher: str, state: str | None, learned: Mapping[str, Any]) -> Model:
    document = {
        "matchers": list(dict.fromkeys(("word", matcher))),
        "max_block": 2,
        "options": {matcher: dict(learned)} if learned else {},
    }
    weights = {INSERT: -0.5, "S_word": 1.0, **({state: 0.75} if state else {})}
    return Model(matcher, settings_from_dict(document, "settings"), weights)


def _model_scores(document: str, hypotheses: Sequence[str], references: Sequence[str]) -> Float:
    return Metric(model_at_work(json.loads(document), "model"), 1).score_pairs(hypotheses, references)


def _read_again(model: Model) -> Model:
    again = model_at_work(json.loads(json.dumps(model.to_dict())), "model")
    hold(again.settings == model.settings, "settings do not come back unchanged through JSON")
    return again


def _finite(model: Model, subject: Subject) -> None:
    found = Metric(model, 1).score_pairs(*subject.sides)
    hold(np.isfinite(found).all(), "a score is not a finite number")


def _encoded(samples: Sequence[tuple[str, str]]) -> EncodedPairs:
    vocabulary = Vocabulary("plain", "none")
    sides = (vocabulary.encode([pair[side] for pair in samples]) for side in (1, 0))
    return EncodedPairs(vocabulary, *sides)


def _said(matcher: Matcher, samples: Sequence[tuple[str, str]]) -> list[Said]:
    """What a matcher says of each pair, in an order that does not depend on it."""
    pairs = _encoded(samples)
    offers = matcher.offers(pairs)
    blocks = offers.blocks.tolist()
    values = zip(offers.offer.tolist(), offers.feature.tolist(), offers.value.tolist(), strict=True)
    entries = [(at, offers.names[name], value) for at, name, value in values]
    if isinstance(matcher, Annotator):
        hold(not blocks, "offers blocks, though it has no state")
        words = MATCHERS["word"].build(1, {}).offers(pairs).blocks
        words = words[np.lexsort(words.T[[3, 1, 0]])]
        notes = matcher.annotate(pairs, words)
        entries = [(at, notes.arc_names[name], value) for at, name, value in notes.arcs]
        entries += [(at, notes.link_names[name], value) for at, name, value in notes.links]
        blocks = words.tolist()
    named: dict[int, list[tuple[str, float]]] = {}
    for at, name, value in entries:
        named.setdefault(at, []).append((name, value))
    found: list[Said] = [[] for _ in samples]
    for at, (pair, *block) in enumerate(blocks):
        if at in named or not isinstance(matcher, Annotator):
            found[pair].append((tuple(block), tuple(sorted(named.get(at, [])))))
    return [sorted(said) for said in found]


def _metric(trial: Trial, subject: Subject) -> None:
    ours, theirs = subject.sides
    metric = cache(lambda: get_metric(subject.name))

    def score(hypotheses: Sequence[str], references: Sequence[str]) -> Float:
        return metric().score_pairs(hypotheses, references)

    with trial("its name makes it, and its docstring begins with a description") as result:
        hold(metric().origin == subject.name, f"it is made from {metric().origin!r}")
        result.note = _described(subject.entry.name)
    _gives_numbers(trial, "scores", "one finite number for each pair", score, subject)
    with trial("the score of a pair depends on nothing but the pair") as result:
        if metric().is_independent:
            _is_independent(score, subject)
        else:
            result.note = "it says that it is not; it cannot be scored in parts, nor be a feature as it is"
    with trial("lists that are not pairs are refused"):
        _refuses_lists(score)
    with trial("several references: the same one twice changes nothing"):
        _takes_references(metric(), ours, theirs)
    with trial("the score of a corpus is a finite number, and that of the sums of its parts"):
        _scores_corpora(metric(), ours, theirs)
    with trial("each of its parts, if it has any, gives one finite number for each pair") as result:
        parts = metric().named_parts(ours, theirs)
        for name, values in parts.items():
            good = np.shape(values) == (len(subject.samples),) and np.isfinite(values).all()
            hold(isinstance(name, str) and good, f"{name!r} is not")
        result.note = "" if parts else "it has none, so `pfsm explain` says nothing of it"
    with trial("its signature names its package, and is the same from a metric made anew"):
        label = subject.entry.origin.label
        for level in get_args(Level):
            signature, again = (one.get_signature(1, level) for one in (metric(), get_metric(subject.name)))
            printable = signature.isprintable() and "||" not in signature
            hold(printable, f"{signature!r} cannot be printed on a line")
            hold(f"|plugin:{label}|" in signature, f"{signature!r} does not name {label}")
            hold(again == signature, "it differs")
    try:
        # Once what it counts over references is counted.
        may_be_feature = metric().counted_over(()).is_independent
    except Exception:  # the check that makes it has said so
        may_be_feature = False
    if may_be_feature:
        with trial("a model can use it as a feature"):
            _scores_of_a_model(subject.name, subject)
    elsewhere(trial, "scores", _metric_scores, subject.name, ours, theirs, same=_alike_scores)


def _refuses_lists(score: Score) -> None:
    wrong: tuple[Any, ...] = ((["a"], []), ("a", ["a"]), (["a"], "a"))
    for sides in wrong:
        try:
            score(*sides)
        except ValueError:
            continue
        raise PfsmError(f"score_pairs{sides} raises no ValueError")


def _takes_references(metric: SegmentMetric, ours: Sequence[str], theirs: Sequence[str]) -> None:
    once = metric.segment_scores(ours, [theirs])
    fault = "with one reference segment_scores differs from score_pairs"
    hold(_alike_scores(once, metric.score_pairs(ours, theirs)), fault)
    # A blank line of a further reference is none.
    filled = [at for at, line in enumerate(theirs) if line.strip()]
    ours, theirs = [ours[at] for at in filled], [theirs[at] for at in filled]
    once = metric.segment_scores(ours, [theirs])
    hold(_alike_scores(once, metric.segment_scores(ours, [theirs, theirs])), "scores change")
    if metric.is_independent:
        fewer = metric.segment_scores(ours, [theirs, [None, *theirs[1:]]])
        hold(_alike_scores(once, fewer), "scores change where a segment has fewer references")


def _scores_corpora(metric: SegmentMetric, ours: Sequence[str], theirs: Sequence[str]) -> None:
    whole = float(metric.corpus_score(ours, [theirs]))
    hold(np.isfinite(whole), f"it is {whole}")
    if not metric.is_additive:
        return
    half = len(ours) // 2
    sums = [
        metric.segment_statistics(ours[part], [theirs[part]]).sum(axis=0)
        for part in (slice(half), slice(half, None))
    ]
    summed = float(metric.corpus_from_totals(np.sum(sums, axis=0)))
    hold(abs(summed - whole) <= 1e-9 * max(abs(whole), 1.0), f"{whole} and {summed}")


def _metric_scores(name: str, hypotheses: Sequence[str], references: Sequence[str]) -> Float:
    return get_metric(name).score_pairs(hypotheses, references)


def _alike_scores(one: Float, other: Float) -> bool:
    return one.shape == other.shape and np.allclose(one, other, rtol=ROUNDING, atol=ROUNDING)


def _gives_numbers(trial: Trial, what: str, name: str, score: Score, subject: Subject) -> None:
    with trial(name) as result:
        if np.unique(score(*subject.sides)).size <= 1:
            result.note = "they are all the same; give other pairs with --sample"
    with trial(f"no pairs have no {what}"):
        hold(score([], []).shape == (0,), "there are some")


def _feature(trial: Trial, subject: Subject) -> None:
    name = subject.entry.name
    ours, theirs = subject.sides

    def values_of(feature: str) -> Score:
        return lambda hypotheses, references: feature_values([feature], hypotheses, references)[:, 0]

    with trial("it has a name and half a line that describes it") as result:
        check_feature(name)
        hold("|" not in feature_signature(name), "its signature has a bar in it")
        result.note = _described(name)
    _gives_numbers(trial, "values", "one finite number for each pair", values_of(name), subject)
    with trial("the value of a pair depends on nothing but the pair"):
        _is_independent(values_of(*counted_features([name], theirs)), subject)
    with trial("a model with it can be written and read, and its scores are finite"):
        _scores_of_a_model(name, subject)
    elsewhere(trial, "values", feature_values, [name], ours, theirs, same=np.array_equal)


def _described(name: str) -> str:
    return "" if describe_feature(name) else "it has no docstring, so `pfsm metrics` says nothing of it"


def _is_independent(score: Score, subject: Subject) -> None:
    def scored(some: Sequence[tuple[str, str]]) -> list[float]:
        return list(map(float, score([pair[0] for pair in some], [pair[1] for pair in some])))

    depends_on_nothing_else(
        scored,
        subject.samples,
        lambda one, other: abs(one - other) <= ROUNDING * max(abs(one), abs(other), 1.0),
    )


def _scores_of_a_model(feature: str, subject: Subject) -> None:
    """Writes, reads and applies a model that weighs the feature beside edits."""
    (name,) = counted_features([feature], subject.sides[1])
    document = {"features": {name: {"mean": 0.0, "sd": 1.0}}, "counts": documents_of([name])}
    settings = settings_from_dict(document, "settings")
    model = Model("x", settings, {"Insert": -0.5, "S_word": 1.0, f"feature:{name}": 0.25})
    _finite(_read_again(model), subject)


def _statistic(trial: Trial, subject: Subject) -> None:
    draws = np.random.default_rng(SEED)
    segments = np.repeat(np.arange(SEGMENTS), TRANSLATIONS)
    human = draws.normal(size=segments.size).round(3)
    metric = (human + draws.normal(size=human.size)).round(3)

    def measure(people: Float, of: NDArray[np.int64]) -> Measure:
        systems = np.arange(people.size) % TRANSLATIONS
        items = scored_items(people, of, systems, np.ones(people.size))
        return SEGMENT_LEVEL[subject.entry.name].bind(items)

    first_value = cache(lambda: measure(human, segments).value(metric.copy()))
    with trial("it gives one number, and the same one every time") as result:
        again, value = measure(human, segments).value(metric.copy()), first_value()
        hold(isinstance(value, float), f"it gives a {type(value).__name__}")
        hold(np.array_equal(value, again, equal_nan=True), f"it gives {value} and then {again}")
        result.note = "NaN here" if np.isnan(value) else ""
    with trial("the order of the translations makes no difference"):
        order = np.random.default_rng(SEED + 1).permutation(human.size)
        value, other = first_value(), measure(human[order], segments[order]).value(metric[order])
        same = np.isclose(value, other, rtol=OF_STATISTICS, atol=OF_STATISTICS, equal_nan=True)
        hold(same, f"it gives {value}, and in another order {other}")
    with trial("it leaves the scores as they are"):
        people, scores = human.copy(), metric.copy()
        measure(people, segments).value(scores)
        hold((people == human).all() and (scores == metric).all(), "it changes the arrays that it gets")
    with trial("bootstrap resamples give numbers, the same from the same seed"):
        of_all = measure(human, segments)
        first, second = (of_all.resampled(metric.copy(), RESAMPLES, SEED) for _ in range(2))
        hold(first.shape == (RESAMPLES,), f"they have the shape {first.shape}")
        hold(np.array_equal(first, second, equal_nan=True), "they differ")
    with trial("equal scores, or one translation alone, give a number or NaN"):
        for people, scores in (
            (np.ones(4), np.arange(4.0)),
            (np.arange(4.0), np.ones(4)),
            (np.ones(1), np.ones(1)),
        ):
            value = measure(people, np.arange(people.size)).value(scores)
            hold(
                not np.isinf(value), f"it gives {value} for people's scores {people} and a metric's {scores}"
            )


def _tokeniser(trial: Trial, subject: Subject) -> None:
    name = subject.entry.name
    lines = [*subject.lines, *ODD_LINES]
    with trial("tokens are text, never empty or white space"):
        _are_text(_tokens(name, lines))
    with trial("blank lines have no tokens"):
        for line in ("", " ", "   "):
            (found,) = _tokens(name, [line])
            hold(not found, f"{line!r} has the tokens {found}")
    with trial("a chunk has the same tokens every time"):
        tokeniser = tokeniser_named(name)
        keys = [key for line in lines for key in tokeniser.keys(line)]
        first, second = ([list(tokeniser.analyse(key)) for key in keys] for _ in range(2))
        same_of_all(keys, first, second, "then")
    with trial("the tokens of a line depend on nothing but the line"):
        depends_on_nothing_else(lambda some: _tokens(name, some), lines)
    with trial("no character of a line is lost") as result:
        lost = [
            line
            for line, tokens in zip(subject.lines, _tokens(name, subject.lines), strict=True)
            if "".join("".join(tokens).split()) != "".join(line.split())
        ]
        if lost:
            result.note = f"it rewrites {lost[0]!r}, which is allowed (penn rewrites quotes)"
    elsewhere(trial, "tokens", _tokens, name, lines)


def _are_text(found: Sequence[Sequence[str]]) -> None:
    for row in found:
        for text in row:
            hold(isinstance(text, str), f"{text!r} is not text")


def elsewhere(
    trial: Trial, what: str, work: Any, *arguments: Any, same: Callable[[Any, Any], bool] = eq
) -> None:
    """Check that another process gives the same."""
    with trial(f"another process gives the same {what}"):
        hold(same(in_another_process(work, *arguments), work(*arguments)), f"{what} differ there")


def _tokens(name: str, lines: Sequence[str]) -> list[list[str]]:
    vocabulary = Vocabulary(name, "none")
    return [vocabulary.tokens(line) for line in lines]


def _stemmer(trial: Trial, subject: Subject) -> None:
    name = subject.entry.name
    words = sorted({word.lower() for line in subject.lines for word in line.split()} | set(ODD_WORDS))
    with trial("every word has one stem, which is text"):
        _are_text([_stems(name, words)])
    with trial("no words have no stems"):
        hold(_stems(name, []) == [], "there are some")
    with trial("the stem of a word depends on nothing but the word"):
        depends_on_nothing_else(lambda some: _stems(name, some), words)
    elsewhere(trial, "stems", _stems, name, words)


def _stems(name: str, words: Sequence[str]) -> list[str]:
    return stemmer_named(name).stems(words)


def _format(trial: Trial, subject: Subject) -> None:
    name, options = subject.entry.name, Options(**subject.options)

    def reading() -> Reading:
        return read_format(subject.files, options, name)

    with trial("it has a summary of one line") as result:
        summary = FORMATS[name].summary
        hold(isinstance(summary, str) and summary.isprintable() and summary, f"it has {summary!r}")
        result.note = "" if subject.files else "give files of the format with --sample, and they are read"
    if subject.files:
        with trial("its files give judgments or preferences, with texts and finite numbers") as result:
            count = 0
            for count, record in enumerate(reading().records, 1):
                texts, numbers = _contents(record)
                has_text = record.references and all(isinstance(text, str) for text in texts)
                hold(has_text, f"record {count} lacks a text")
                good = all(isinstance(number, int | float) and math.isfinite(number) for number in numbers)
                hold(good, f"record {count} has the numbers {numbers}")
            hold(count, "there are none")
            result.note = f"{count} of them"
        with trial("columns are what the records fill"):
            found = reading()
            known = REQUIRED & set(found.kind.__dataclass_fields__) | {"reference"}
            missing = sorted((known - {"votes"}) - set(found.columns))
            hold(not missing, f"columns lack {', '.join(missing)}; use pfsm.data.formats.records.layout")
        with trial("the same files give the same records"):
            hold(list(reading().records) == list(reading().records), "they do not")
        with trial("they can be written as a TSV"):
            file = io.StringIO()
            written = write_tsv(reading(), file)
            hold(len(file.getvalue().splitlines()) == written.rows + 1, "rows are missing")
    with trial("a file that is not there is refused in one line"):
        try:
            list(read_format(["/no such file"], options, name).records)
        except PfsmError as error:
            hold("\n" not in str(error), "the message has several lines")
        else:
            raise PfsmError("it reads a file that is not there; read with pfsm.io.files")


def _contents(record: Record) -> tuple[tuple[str, ...], tuple[float, ...]]:
    if isinstance(record, Judgment):
        return (*record.references, record.hypothesis), (record.score,)
    numbers = record.votes, record.votes_against, record.ties
    return (*record.references, record.better, record.worse), numbers


_CHECKS: dict[str, Callable[[Trial, Subject], None]] = {
    "matcher": _matcher,
    "metric": _metric,
    "feature": _feature,
    "tokeniser": _tokeniser,
    "stemmer": _stemmer,
    "format": _format,
    "statistic": _statistic,
}
