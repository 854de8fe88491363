"""Rules of predicates: events, their arguments, and the clauses beside them."""

from dataclasses import dataclass

from pfsm.analysis.discourse import words as known
from pfsm.analysis.discourse.arguments import PLACE_ROLE, Arguments
from pfsm.analysis.discourse.draft import Draft
from pfsm.analysis.discourse.grammar import LOOSE, NOUNS, SUBJECTS
from pfsm.analysis.discourse.phrases import Phrases
from pfsm.analysis.discourse.scopes import Scope, scope_of
from pfsm.analysis.discourse.tenses import add_time, tense_of


@dataclass(frozen=True)
class Predicates:
    """Writes predicates into a draft."""

    draft: Draft

    def predicate(self, word: int, box: str) -> None:
        """A clause with its predicate, from the box that it stands in."""
        draft, grammar = self.draft, self.draft.grammar
        scope = scope_of(draft, word, box)
        inner = scope.event
        draft.done.update(grammar.having(word, "aux", "cop"))
        event = self._event(word, inner, box)
        draft.boxed.update(child for child in grammar.having(word, "advcl") if self._has_box(child))
        arguments = list(Arguments(draft).of(word))
        # The agenda is worked off from its end: arguments come before what is beside them, in the order of the text.
        for child in reversed(grammar.children[word]):
            self._other_dependent(child, word, scope, event)
        for child, role in reversed(arguments):
            # Subjects stand outside the clause's negation and modals.
            is_outside = grammar.labels[child] in SUBJECTS and not grammar.is_predicate(child)
            target = Phrases(draft).argument(
                child, draft.boxes.get(child, scope.clause if is_outside else inner)
            )
            draft.add(inner, role, event, target, words=tuple(grammar.case(child)[:1]) or (word,))
        if grammar.is_imperative(word):
            draft.add(inner, "A0", event, self._hearer(word, box), words=(word,))

    def _hearer(self, word: int, box: str) -> str:
        """The referent of the hearer, whom an imperative introduces unless somebody did."""
        draft = self.draft
        if "hearer" not in draft.persons:
            who = draft.persons["hearer"] = draft.new("x")
            draft.concept(box, "person", "n", who, (word,))
            draft.add(box, "EQU", who, '"hearer"', words=(word,))
        return draft.persons["hearer"]

    def _event(self, word: int, box: str, outer: str) -> str:
        """The event or state of a predicate, with its time.

        Args:
            word: The predicate.
            box: The event's box.
            outer: The box that the clause stands in.
        """
        draft, grammar = self.draft, self.draft.grammar
        category = grammar.category(word)
        is_state = grammar.is_state(word)
        if not is_state and category not in {"VERB", "AUX"}:
            return self._being(word, box, outer)
        event = draft.referent(word)
        draft.concept(box, grammar.symbol(word), "a" if is_state else "v", event, (word,))
        if is_state:
            Phrases(draft).degrees(word, box, only_adverbs=True)
        add_time(draft, word, event, box, outer)
        return event

    def _being(self, word: int, box: str, outer: str) -> str:
        """A noun as a predicate: an event of being, whose second argument it is."""
        draft, grammar = self.draft, self.draft.grammar
        copula = grammar.first(word, "cop")
        event = draft.new("e")
        draft.concept(box, "be", "v", event, (word if copula is None else copula,))
        add_time(draft, word, event, box, outer)
        case = grammar.case(word)
        role = (PLACE_ROLE if grammar.words[case[0]] in known.PLACES else "A2") if case else "A2"
        role = known.ASKED_ROLES.get(grammar.words[word], role)
        Phrases(draft).noun(word, box)
        draft.add(box, role, event, draft.referent(word), words=tuple(case[:1]) or (word,))
        return event

    def _other_dependent(self, child: int, word: int, scope: Scope, event: str) -> None:
        """A dependent that is no argument: other clauses, coordination."""
        draft, grammar = self.draft, self.draft.grammar
        box = scope.event
        label = grammar.labels[child]
        if label == "ccomp":
            inner = draft.new("b")
            draft.add(box, "ATTRIBUTION", inner, words=(word,))
            draft.add(box, "Proposition", event, inner, words=(word,))
            draft.later(child, inner)
        elif label == "advcl":
            self._adverbial(child, box)
        elif label == "conj":
            self._coordinated(child, word, scope)
        elif label in LOOSE and grammar.category(child) not in {"INTJ", "PUNCT", "PART"}:
            inner = draft.new("b")
            draft.add(scope.clause, "CONTINUATION", inner, words=(child,))
            draft.later(child, inner)

    def _has_box(self, child: int) -> bool:
        """Whether an adverbial clause stands in a box of its own."""
        return child in self.draft.boxes or bool(self._relation(child)[0])

    def _relation(self, child: int) -> tuple[str, tuple[int, ...]]:
        """The relation that an adverbial clause's conjunction says, and its words; empty for clauses without tense."""
        grammar = self.draft.grammar
        mark = grammar.first(child, "mark", "advmod")
        text = "" if mark is None else grammar.words[mark]
        words = (child,) if mark is None else (mark,)
        if text in known.CAUSAL:
            return "EXPLANATION", words
        if text in known.CONTRASTIVE:
            return "CONTRAST", words
        if grammar.is_predicate(child) and tense_of(grammar, child)[0]:
            return "CONTINUATION", words
        return "", words

    def _adverbial(self, child: int, box: str) -> None:
        """An adverbial clause, with the relation that its conjunction says."""
        draft = self.draft
        if child in draft.boxes:
            draft.later(child, draft.boxes[child])
            return
        relation, words = self._relation(child)
        draft.done.update(
            one
            for one in draft.grammar.having(child, "advmod")
            if draft.grammar.words[one] in known.ASKED_ROLES
        )
        inner = draft.new("b") if relation else box
        if relation:
            draft.add(box, relation, inner, words=words)
        draft.later(child, inner)

    def _coordinated(self, child: int, word: int, scope: Scope) -> None:
        """A coordinated clause; without a subject of its own it shares that of the first.

        It stands outside the first clause's negation and modals if it has a subject or an auxiliary of its own, or
        contrasts with it.
        """
        draft, grammar = self.draft, self.draft.grammar
        if not grammar.is_predicate(word) or (
            grammar.category(child) in NOUNS and not grammar.is_predicate(child)
        ):
            draft.later(child, scope.event)
            return
        mark = grammar.first(child, "cc")
        text = "and" if mark is None else grammar.words[mark]
        box = scope.event
        if grammar.first(child, *SUBJECTS) is not None:
            box = scope.clause
        elif text in known.CONTRASTIVE or grammar.first(child, "aux", "cop") is not None:
            box = scope.phrases
        words = (child,) if mark is None else (mark,)
        inner = draft.new("b")
        if text in known.ALTERNATIVE:
            relation = "ALTERNATION"
        else:
            relation = "CONTRAST" if text in known.CONTRASTIVE else "CONTINUATION"
        draft.add(box, relation, inner, words=words)
        draft.later(child, inner)
        self._share_subject(child, word, inner)

    def _share_subject(self, child: int, word: int, box: str) -> None:
        """Gives a coordinated verb without a subject that of the first predicate."""
        draft, grammar = self.draft, self.draft.grammar
        subject = grammar.first(word, *SUBJECTS)
        has_own = grammar.first(child, *SUBJECTS) is not None
        if subject is not None and not has_own and grammar.category(child) == "VERB":
            role = Arguments(draft).role_of_shared(subject, child)
            draft.add(box, role, draft.referent(child), draft.referent(subject), words=(child,))
