"""A parsing model of one tree, slow and obvious: features are strings, derivations are enumerated, SciPy optimises."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize

ACTIONS = ("shift", "left", "right")
TEMPLATES = (
    *("s0w-s0t", "s0w", "s0t", "s1w-s1t", "s1w", "s1t", "q0w-q0t", "q0w", "q0t"),
    *("s0w-s0t-s1w-s1t", "s0w-s0t-s1w", "s0w-s1w-s1t", "s0w-s0t-s1t", "s0t-s1w-s1t", "s0w-s1w", "s0t-s1t"),
    *("s0t-q0t", "s0t-q0t-q1t", "s1t-s0t-q0t", "s2t-s1t-s0t"),
    *("s1t-s1l-s0t", "s1t-s1r-s0t", "s1t-s0t-s0l", "s1t-s0t-s0r"),
    *("s0w-q0t-q1t", "s1t-s0w-q0t", "s1t-s1l-s0w", "s1t-s1r-s0w", "s1t-s0w-s0l"),
)


@dataclass(frozen=True)
class Sentence:
    words: tuple[str, ...]
    tags: tuple[str, ...]
    heads: tuple[int, ...] = ()


@dataclass(frozen=True)
class State:
    stack: tuple[int, ...] = ()
    position: int = 0
    arcs: tuple[tuple[int, int], ...] = field(default=())

    def legal(self, n: int) -> tuple[str, ...]:
        return ("shift",) * (self.position < n) + ("left", "right") * (len(self.stack) > 1)

    def after(self, action: str) -> "State":
        if action == "shift":
            return replace(self, stack=(*self.stack, self.position), position=self.position + 1)
        under, top = self.stack[-2:]
        head, child = (top, under) if action == "left" else (under, top)
        return replace(self, stack=(*self.stack[:-2], head), arcs=(*self.arcs, (head, child)))


def features(state: State, sentence: Sentence) -> list[str]:
    def word(at: int | None) -> str:
        return sentence.words[at] if at is not None else "-"

    def tag(at: int | None) -> str:
        return sentence.tags[at] if at is not None else "-"

    def child(of: int | None, left: bool) -> int | None:
        children = [c for h, c in state.arcs if h == of and (c < h) == left]
        return (min(children) if left else max(children)) if children else None

    items = [state.stack[-1 - k] if len(state.stack) > k else None for k in range(3)]
    waiting = [at if at < len(sentence.words) else None for at in (state.position, state.position + 1)]
    values = {f"s{k}{kind}": of(items[k]) for k in range(3) for kind, of in (("w", word), ("t", tag))}
    values |= {f"q{k}{kind}": of(waiting[k]) for k in range(2) for kind, of in (("w", word), ("t", tag))}
    for k in range(2):
        values |= {f"s{k}l": tag(child(items[k], True)), f"s{k}r": tag(child(items[k], False))}
    return [f"{name}={'|'.join(values[slot] for slot in name.split('-'))}" for name in TEMPLATES]


def oracle(sentence: Sentence) -> list[str]:
    """The derivation of the sentence's tree: the one that reduces as early as it can, found by trying."""
    wanted = {(head - 1, child) for child, head in enumerate(sentence.heads) if head}
    n = len(sentence.words)

    def complete(state: State) -> list[str] | None:
        if set(state.arcs) - wanted:
            return None
        # What has been reduced can get no more children.
        gone = set(range(state.position)) - set(state.stack)
        if any(head in gone for head, _ in wanted - set(state.arcs)):
            return None
        if state.position == n and len(state.stack) == 1:
            return [] if set(state.arcs) == wanted else None
        for action in ("left", "right", "shift"):
            if action in state.legal(n):
                rest = complete(state.after(action))
                if rest is not None:
                    return [action, *rest]
        return None

    found = complete(State())
    assert found is not None
    return found


class Model:
    """Trained by SciPy on the derivation of one tree."""

    def __init__(self, sentence: Sentence, penalty: float, legal_only: bool) -> None:
        self.legal_only, self.penalty = legal_only, penalty
        self.steps: list[tuple[list[str], str, tuple[str, ...]]] = []
        state = State()
        for action in oracle(sentence):
            self.steps.append((features(state, sentence), action, self._normalised(state, sentence)))
            state = state.after(action)
        names = sorted({name for step in self.steps for name in step[0]})
        self.place = {name: k for k, name in enumerate(names)}
        found = minimize(
            self.loss,
            np.zeros(len(names) * 3),
            jac=True,
            method="L-BFGS-B",
            options={"maxiter": 5000, "ftol": 1e-15, "gtol": 1e-9},
        )
        self.weights = found.x.reshape(-1, 3)

    def _normalised(self, state: State, sentence: Sentence) -> tuple[str, ...]:
        return state.legal(len(sentence.words)) if self.legal_only else ACTIONS

    def loss(self, flat: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
        weights = flat.reshape(-1, 3)
        gradient = self.penalty * weights
        value = 0.5 * self.penalty * float((weights**2).sum())
        for names, action, allowed in self.steps:
            rows = [self.place[name] for name in names]
            columns = [ACTIONS.index(one) for one in allowed]
            scores = weights[rows].sum(axis=0)[columns]
            log_z = float(np.logaddexp.reduce(scores))
            value -= float(scores[allowed.index(action)]) - log_z
            slopes = np.zeros(3)
            slopes[columns] = np.exp(scores - log_z)
            slopes[ACTIONS.index(action)] -= 1.0
            gradient[rows] += slopes
        return value, gradient.ravel()

    def log_probabilities(self, state: State, sentence: Sentence) -> dict[str, float]:
        if not state.legal(len(sentence.words)):
            return {}
        known = [self.place[name] for name in features(state, sentence) if name in self.place]
        scores = dict(zip(ACTIONS, self.weights[known].sum(axis=0).tolist(), strict=True))
        log_z = math.log(sum(math.exp(scores[one]) for one in self._normalised(state, sentence)))
        return {action: scores[action] - log_z for action in state.legal(len(sentence.words))}

    def derivations(self, sentence: Sentence) -> Iterator[tuple[float, Sequence[str]]]:
        """Every derivation of a sentence, with the sum of its log-probabilities."""

        def go_on(
            state: State, total: float, actions: tuple[str, ...]
        ) -> Iterator[tuple[float, Sequence[str]]]:
            following = self.log_probabilities(state, sentence)
            if not following:
                yield total, actions
            for action, value in following.items():
                yield from go_on(state.after(action), total + value, (*actions, action))

        yield from go_on(State(), 0.0, ())

    def best(self, sentence: Sentence) -> float:
        return max(total for total, _ in self.derivations(sentence))
