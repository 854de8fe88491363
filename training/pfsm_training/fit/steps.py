"""How far a training has come: which fit of which fold, at which iteration (`pfsm.runtime.progress`)."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from pfsm.runtime.progress import Stage, note
from pfsm_training.fit.fitting import Choice, Progress
from pfsm_training.fit.lbfgs import Iteration

# Of the logger; and seconds before a short stage is worth a bar.
AREA, PATIENCE = "training", 0.5


def told(progress: Progress) -> Progress:
    """The caller's function, and in addition a note of the step and iteration in the stage that is open."""

    def tell(step: str, iteration: Iteration | None) -> None:
        progress(step, iteration)
        # What is chosen stands in the place of the stage.
        chosen = ("lambda ", "mixture ", "weight ")
        within = [part for part in step.split(", ")[1:] if not part.startswith(chosen)]
        at = "" if iteration is None else f"iteration {iteration.number}, objective {iteration.objective:.6g}"
        note(", ".join(filter(None, (*within, at))))

    return tell


def place_of(choice: Choice, choices: Sequence[Choice]) -> str:
    """Which of several choices it is: ``lambda 3 of 8 (0.5)``."""
    parts = []
    for name, value, tried in (
        ("lambda", choice.penalty, sorted({one.penalty for one in choices})),
        ("mixture", choice.mixture, sorted({one.mixture for one in choices})),
        ("weight", choice.weight, sorted({one.weight for one in choices})),
    ):
        if len(tried) > 1:
            parts.append(f"{name} {tried.index(value) + 1} of {len(tried)} ({value:g})")
        elif name == "lambda":
            parts.append(f"{name} {value:g}")
    return ", ".join(parts)


@contextmanager
def validating(n_folds: int, choices: Sequence[Choice]) -> Iterator[Callable[[Choice], None]]:
    """The stage of a cross-validation: gives the function to call before each fit, fold after fold."""
    fold, before = 0, len(choices)
    with Stage(AREA, "cross-validation", n_folds * len(choices), "fits") as stage:

        def begin(choice: Choice) -> None:
            nonlocal fold, before
            number = list(choices).index(choice)
            if number <= before:
                fold += 1
            before = number
            stage.place = f"fold {fold} of {n_folds}, {place_of(choice, choices)}"
            stage.reach((fold - 1) * len(choices) + number, "")

        yield begin
