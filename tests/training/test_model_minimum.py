"""The minimum of a quadratic plus squared hinges within bounds, against SciPy and what defines a minimum."""

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.optimize import minimize
from torch import Tensor

from pfsm_training.fit.model_minimum import bounded_minimum, model_minimum
from pfsm_training.loss.hinges import AllHinges, Hinges

Float = NDArray[np.float64]
SIZE, COUNT = 6, 40


def problem(seed: int, steep: float) -> tuple[Float, Float, Hinges, Float]:
    rng = np.random.default_rng(seed)
    root = rng.normal(size=(SIZE, SIZE))
    slopes = np.sqrt(steep) * rng.normal(size=(COUNT, SIZE))
    missing = np.sqrt(steep) * rng.normal(-0.5, 1.0, COUNT)
    room = np.where(rng.random(SIZE) < 0.5, -rng.uniform(0.0, 0.3, SIZE), -np.inf)
    return 5.0 * rng.normal(size=SIZE), root @ root.T + 0.1 * np.eye(SIZE), Hinges(missing, slopes), room


def value(step: Float, gradient: Float, curvature: Float, hinges: Hinges) -> float:
    left = np.maximum(0.0, hinges.missing + hinges.slopes @ step)
    return float(gradient @ step + 0.5 * step @ curvature @ step + left @ left)


def slope(step: Float, gradient: Float, curvature: Float, hinges: Hinges) -> Float:
    left = np.maximum(0.0, hinges.missing + hinges.slopes @ step)
    return np.asarray(gradient + curvature @ step + 2.0 * left @ hinges.slopes)


@pytest.mark.parametrize("steep", [0.0, 1.0, 1e4, 1e8])
@pytest.mark.parametrize("seed", range(12))
def test_no_direction_within_the_bounds_leads_down(seed: int, steep: float) -> None:
    """At the minimum of a convex sum the gradient is zero where there is room, and not negative at a bound."""
    gradient, curvature, hinges, room = problem(seed, steep)
    step = model_minimum(gradient, curvature, AllHinges([hinges], SIZE), room)
    assert (step >= room).all()
    pull = slope(step, gradient, curvature, hinges)
    scale = 1e-9 * (1.0 + steep)
    at_bound = step == room
    assert np.abs(pull[~at_bound]).max(initial=0.0) < scale
    assert pull[at_bound].min(initial=0.0) > -scale


@pytest.mark.parametrize("seed", range(12))
def test_scipy_finds_nothing_lower(seed: int) -> None:
    gradient, curvature, hinges, room = problem(seed, 3.0)
    halves = [Hinges(hinges.missing[part], hinges.slopes[part]) for part in (slice(17), slice(17, None))]
    step = model_minimum(gradient, curvature, AllHinges(halves, SIZE), room)
    theirs = minimize(
        value,
        np.zeros(SIZE),
        (gradient, curvature, hinges),
        jac=slope,
        bounds=[(low, None) for low in room],
        method="L-BFGS-B",
        options={"ftol": 1e-15, "gtol": 1e-10, "maxiter": 2000},
    )
    assert value(step, gradient, curvature, hinges) <= theirs.fun + 1e-9
    assert step == pytest.approx(theirs.x, abs=1e-4)


@pytest.mark.parametrize("seed", range(6))
def test_a_minimum_where_hinges_bend(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """There rounding alone decides which hinges count: the search ends, in few rounds, and where the minimum is."""
    rng = np.random.default_rng(seed)
    slopes, minimum = rng.normal(size=(COUNT, SIZE)), rng.normal(size=SIZE)
    hinges = Hinges(-slopes @ minimum, slopes)
    curvature = np.diag(rng.uniform(0.5, 2.0, SIZE))
    rounds: list[int] = []
    once = AllHinges.quadratic

    def counted(self: AllHinges, active: Tensor) -> tuple[Float, Float]:
        rounds.append(int(active.sum()))
        return once(self, active)

    monkeypatch.setattr(AllHinges, "quadratic", counted)
    step = model_minimum(-curvature @ minimum, curvature, AllHinges([hinges], SIZE), np.full(SIZE, -np.inf))
    np.testing.assert_allclose(step, minimum, atol=1e-12)
    assert len(rounds) < 30


@pytest.mark.parametrize("factor", [1e-14, 1e14, 1e18])
@pytest.mark.parametrize("seed", range(6))
def test_no_step_is_worse_than_none(seed: int, factor: float) -> None:
    """However much steeper the hinges are than the quadratic."""
    gradient, curvature, hinges, room = problem(seed, 1.0)
    hinges = hinges.scaled(factor)
    step = model_minimum(gradient, curvature, AllHinges([hinges], SIZE), room)
    none = np.zeros(SIZE)
    assert (step >= room).all()
    assert value(step, gradient, curvature, hinges) <= value(none, gradient, curvature, hinges)


def test_without_hinges_it_is_the_bounded_quadratic() -> None:
    gradient, curvature, _, room = problem(3, 1.0)
    found = model_minimum(gradient, curvature, AllHinges([], SIZE), room)
    np.testing.assert_array_equal(found, bounded_minimum(gradient, curvature, room))
    free = np.full(SIZE, -np.inf)
    assert bounded_minimum(gradient, curvature, free) == pytest.approx(-np.linalg.solve(curvature, gradient))


@pytest.mark.parametrize("seed", range(4))
def test_sums_of_hinges_are_their_definition(seed: int) -> None:
    rng = np.random.default_rng(seed)
    _, _, hinges, _ = problem(seed, 2.0)
    every, step = AllHinges([hinges.scaled(3.0)], SIZE), rng.normal(size=SIZE)

    def by_hand(at: Float) -> float:
        total = 0.0
        for slopes, missing in zip(hinges.slopes.tolist(), hinges.missing.tolist(), strict=True):
            total += max(0.0, missing + sum(a * b for a, b in zip(slopes, at.tolist(), strict=True))) ** 2
        return 3.0 * total

    assert every.value(step) == pytest.approx(by_hand(step))
    nudges = 1e-6 * np.eye(SIZE)
    wanted = [(by_hand(nudge) - by_hand(-nudge)) / 2e-6 for nudge in nudges]
    assert every.pull(every.forces) == pytest.approx(np.array(wanted), abs=1e-4)
    gradient, curvature = every.quadratic(every.after(np.zeros(SIZE)) > 0.0)
    assert gradient == pytest.approx(np.array(wanted), abs=1e-4)
    tiny = 1e-7 * step
    assert by_hand(tiny) == pytest.approx(
        by_hand(0.0 * step) + gradient @ tiny + 0.5 * tiny @ curvature @ tiny
    )
