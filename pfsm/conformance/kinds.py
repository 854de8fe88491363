"""The checks of each kind of plug-in."""

from collections.abc import Callable, Iterator, Mapping

from pfsm.conformance import analysers, formats, matchers, texts
from pfsm.conformance.checks import Check, Subject

CHECKS: Mapping[str, Callable[[Subject], Iterator[Check]]] = {
    "matcher": matchers.checks,
    "analyser": analysers.checks,
    "tokeniser": texts.tokeniser_checks,
    "stemmer": texts.stemmer_checks,
    "format": formats.checks,
}
