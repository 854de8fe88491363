"""Arguments of predicates and their roles: those of the labeller, else by syntactic function and voice."""

from collections.abc import Iterator
from dataclasses import dataclass

from pfsm.analysis.discourse import words as known
from pfsm.analysis.discourse.draft import Draft
from pfsm.analysis.discourse.grammar import SUBJECTS, Grammar

PLACE_ROLE = "AM-LOC"
_TIME_ROLE, _MANNER_ROLE = "AM-TMP", "AM-MNR"
_RELATIVE_TAGS = frozenset({"WDT", "WP"})
# Dependents that are words of the clause itself, or clauses beside it, whatever role a labeller gives them.
_NO_ARGUMENTS = frozenset({"aux", "cop", "cc", "mark", "case", "punct", "ccomp", "conj", "parataxis", "list"})
_NO_ROLES = frozenset({"AM-MOD", "AM-NEG", "AM-DIS"})


@dataclass(frozen=True)
class Arguments:
    """Finds the arguments of predicates."""

    draft: Draft

    def of(self, word: int) -> Iterator[tuple[int, str]]:
        """The words that are arguments of a predicate, with their roles.

        The relative pronoun of a clause gets the referent of the noun that the clause is attached to.
        """
        draft, grammar = self.draft, self.draft.grammar
        passive = grammar.is_passive(word)
        given = _given_roles(grammar, word)
        is_state = grammar.is_state(word)
        if grammar.labels[word] == "acl" and grammar.heads[word] >= 0 and not self._takes_relative(word):
            yield from self._noun_above(word, given, passive=passive)
        for child in grammar.children[word]:
            if grammar.labels[child] in _NO_ARGUMENTS or child in draft.boxed:
                continue
            if self._is_how_many(child) or (child in draft.done and child not in draft.referents):
                continue
            role = given.get(child) or self._by_function(child, passive=passive)
            if not role or role in _NO_ROLES:
                continue
            yield child, "AttributeOf" if is_state and grammar.labels[child] in SUBJECTS else role

    def _is_how_many(self, child: int) -> bool:
        """Whether it is the first word of "how many", which asks for a number; wherever it hangs."""
        words = self.draft.grammar.words
        return words[child] == "how" and words[child + 1 : child + 2] in (["many"], ["much"])

    def role_of_shared(self, subject: int, word: int) -> str:
        """The role that the subject of another clause has of this predicate."""
        grammar = self.draft.grammar
        return _given_roles(grammar, word).get(subject) or self._by_function(
            subject, passive=grammar.is_passive(word)
        )

    def _takes_relative(self, word: int) -> bool:
        """Gives the relative pronoun of a clause the noun's referent, if there is one."""
        draft, grammar = self.draft, self.draft.grammar
        for child in grammar.having(word, *SUBJECTS, "obj", "obl"):
            if grammar.tag(child) in _RELATIVE_TAGS or grammar.words[child] in known.RELATIVE:
                draft.referents[child] = draft.referent(grammar.heads[word])
                draft.done.add(child)
                return True
        return False

    def _noun_above(self, word: int, given: dict[int, str], *, passive: bool) -> Iterator[tuple[int, str]]:
        """The noun that a clause is attached to, as the argument that the clause lacks."""
        grammar = self.draft.grammar
        noun = grammar.heads[word]
        if grammar.whole[word] != "acl:relcl":
            if grammar.among(word, {"to"}, "mark") is None:
                yield noun, given.get(noun, "A1" if passive else "A0")
            return
        lacking = "A0" if grammar.first(word, *SUBJECTS) is None else "A1"
        yield noun, given.get(noun, "A1" if passive and lacking == "A0" else lacking)

    def _by_function(self, child: int, *, passive: bool) -> str:
        """Role by syntactic function and voice; empty for what is no argument."""
        grammar = self.draft.grammar
        label, head = grammar.labels[child], grammar.heads[child]
        if label in SUBJECTS:
            return "A1" if passive else "A0"
        if label == "obj":
            return "A1"
        if label == "xcomp":
            return "A1" if grammar.first(head, "obj") is None else "A2"
        if label == "iobj":
            return "A2"
        if label == "obl":
            return _role_of_oblique(grammar, child, passive=passive)
        if (
            label == "advmod"
            and grammar.words[child] in known.ASKED_ROLES
            and grammar.category(head) != "ADJ"
        ):
            return known.ASKED_ROLES[grammar.words[child]]
        if label == "advmod" and child not in self.draft.done and grammar.category(head) != "ADJ":
            return _role_of_adverb(grammar.words[child])
        return ""


def _given_roles(grammar: Grammar, word: int) -> dict[int, str]:
    """Roles of the labeller by the head word of the argument; R-A0 and C-A0 are A0."""
    frame = grammar.frame(word)
    if frame is None:
        return {}
    found: dict[int, str] = {}
    for argument in frame.arguments:
        inside = set(argument.words)
        label = argument.label.removeprefix("R-").removeprefix("C-")
        found |= {one: label for one in argument.words if grammar.heads[one] not in inside}
    return found


def _role_of_oblique(grammar: Grammar, child: int, *, passive: bool) -> str:
    prepositions = [grammar.words[word] for word in grammar.case(child)]
    if passive and ("by" in prepositions or grammar.whole[child] == "obl:agent"):
        return "A0"
    if grammar.words[child] in known.TIMES or grammar.whole[child] == "obl:tmod":
        return _TIME_ROLE
    return PLACE_ROLE if prepositions and prepositions[0] in known.PLACES else "A2"


def _role_of_adverb(text: str) -> str:
    if text in known.FOCUS | known.NEGATIONS | known.POSSIBLY:
        return ""
    return _TIME_ROLE if text in known.TIMES else _MANNER_ROLE
