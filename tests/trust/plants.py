"""Places in a model file where the name of a program can stand."""

from typing import Any

from tests.trust.conftest import COMMAND

SCALED = {"mean": 0.0, "sd": 1.0}


def options(matcher: str, **given: Any) -> dict[str, Any]:
    """Settings with the options of one matcher."""
    return {"matchers": ["word", matcher], "max_block": 1, "options": {matcher: given}}


PROGRAMS: dict[str, dict[str, Any]] = {
    "an option of a matcher": options("dep", parser=COMMAND),
    "a feature": {"features": [f"edpm(parser={COMMAND})"]},
    "a scaled feature": {"features": {f"edpm(parser={COMMAND})": SCALED}},
    "a part": {"features": [f"edpm.dl.p(n=1,parser={COMMAND})"]},
    "all parts": {"features": {f"edpm.dl.p(parser={COMMAND})": "auto", "bleu.bp": "auto"}},
    "a chain": {"features": [f"hwcm(parser={COMMAND})"]},
    "a mixture": {"features": [f"hwcm_b(parser={COMMAND},scale=0.4)"]},
    "no edits": {"language": "en", "edits": False, "features": {f"edpm(parser={COMMAND})": SCALED}},
}
"""Settings that a model can be made from, by the place of the name."""

DAMAGED: dict[str, dict[str, Any]] = {
    "an option of another name": options("dep", other=COMMAND),
    "where words may stand elsewhere": options("dep", idf={COMMAND: 1}),
    "deep in an option": options("dep", parser=[{"x": [COMMAND]}]),
    "a key in an option": options("dep", parser={COMMAND: 1}),
    "a matcher that there is not": {"options": {"nothing": {"parser": COMMAND}}},
    "a name inside a name": {"features": [f"bleu(of=edpm(parser={COMMAND}))"]},
    "an unknown feature": {"features": [f"nothing(a=b,c={COMMAND})"]},
    "a line end": options("dep", parser=f"{COMMAND}\n#"),
}
"""Settings that no model can have: they are refused for what they would run all the same."""
