"""Every matcher by its name in ``settings.matchers``. A new kind of knowledge is one entry here."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from pfsm.errors import PfsmError
from pfsm.matchers import dependency, embedding, paraphrase, spelling, synonym
from pfsm.matchers.agreement import AgreementMatcher, lemma_keys, punctuation_keys, word_keys
from pfsm.matchers.protocol import EncodedPairs, Matcher

Options = Mapping[str, Any]


def no_options(options: Options, where: str) -> dict[str, Any]:
    """Options of a matcher that takes none.

    Raises:
        PfsmError: If there are any.
    """
    for key in options:
        raise PfsmError(f"{where}: unknown option {key!r}; this matcher takes no options")
    return {}


def nothing_to_learn(options: Options, pairs: EncodedPairs) -> dict[str, Any]:  # noqa: ARG001 - one signature for all
    """Options of a matcher that learns none from training text."""
    return dict(options)


@dataclass(frozen=True)
class MatcherKind:
    """How to make a matcher from what settings say.

    Attributes:
        build: From the largest block and checked options to the matcher.
        check: From options as written, and what to call them in errors, to all options with their defaults.
        learn: Fills in options that are to be learned (such as ``bins: auto``) from training pairs.
        state: Name of the substitution state; empty where it offers no blocks.
    """

    state: str
    build: Callable[[int, Options], Matcher]
    check: Callable[[Options, str], dict[str, Any]] = no_options
    learn: Callable[[Options, EncodedPairs], dict[str, Any]] = nothing_to_learn


# The order is the default order of trying.
MATCHERS: dict[str, MatcherKind] = {
    "punct": MatcherKind("S_punct", lambda size, _: AgreementMatcher("punct", punctuation_keys, size)),
    "word": MatcherKind("S_word", lambda size, _: AgreementMatcher("word", word_keys, size)),
    "lemma": MatcherKind("S_lemma", lambda size, _: AgreementMatcher("lemma", lemma_keys, size)),
    "syn": MatcherKind(
        "S_syn",
        lambda _, options: synonym.SynonymMatcher(options["table"]),
        synonym.check_options,
        synonym.learn_options,
    ),
    "para": MatcherKind("S_para", paraphrase.build, paraphrase.check_options, paraphrase.learn_options),
    "char": MatcherKind(
        "S_char", lambda _, options: spelling.build(options), spelling.check_options, spelling.learn_options
    ),
    "emb": MatcherKind(
        "S_emb", lambda _, options: embedding.build(options), embedding.check_options, embedding.learn_options
    ),
    # Last: it says something about the blocks of the others.
    "dep": MatcherKind(
        "", lambda _, options: dependency.build(options), dependency.check_options, dependency.learn_options
    ),
}


def matcher_state(name: str) -> str:
    """Name of the substitution state of a registered matcher; empty for one that offers no blocks."""
    return MATCHERS[name].state
