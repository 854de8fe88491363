"""COMET's way to score: the same data gives the same scores; what cannot be scored is one clear error."""

import json
import math

import pytest

from pfsm.errors import PfsmError, PfsmWarning
from pfsm.model.metric import Metric
from tests.model_cases import model

MT, REF = ["the cat sat", "a dog"], ["the cat sat down", "the dog"]


def test_every_form_of_the_data_gives_the_same_scores() -> None:
    pandas = pytest.importorskip("pandas")
    metric = Metric(model())
    expected = metric.score_pairs(MT, REF).tolist()
    rows = [{"mt": mt, "ref": ref} for mt, ref in zip(MT, REF, strict=True)]
    found = metric.predict(rows, batch_size=2, gpus=0)
    assert (found.scores, found.system_score) == (expected, sum(expected) / 2)
    assert json.loads(json.dumps(found)) == {"scores": expected, "system_score": found.system_score}
    named = [
        {"hypothesis": mt, "reference": [ref, " "], "system": "x"} for mt, ref in zip(MT, REF, strict=True)
    ]
    frame = pandas.DataFrame({"id": [1, 2], "mt": MT, "ref": REF})
    for data in (named, frame, {"mt": MT, "ref": REF}, [*zip(MT, REF, strict=True)]):
        assert metric.predict(data).scores == expected
    with pytest.warns(PfsmWarning, match=r"^src is not used"):
        assert metric.predict([{"src": "x", **row} for row in rows]).scores == expected
    two = metric.predict([{"mt": MT[0], "ref": REF[1], "reference_2": REF[0]}])
    assert two.scores == metric.score_segments(MT[:1], [(REF[1], REF[0])], {}).tolist()


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ([], r"^no rows to score"),
        ([{"mt": "a"}], r"^data\[0\] has no 'ref' \(or 'reference'\); its keys are mt$"),
        ([{"mt": "a", "ref": "b"}, {"ref": "b"}], r"^data\[1\] has no 'mt'"),
        ([{"mt": "a", "ref": math.nan}], r"^data\[0\]: ref is nan, text is needed$"),
        ([{"mt": None, "ref": "a"}], r"^data\[0\]: mt is None, text is needed$"),
        ([{"mt": "a", "ref": " "}], r"^data\[0\]: ref is blank"),
        ([{"mt": "a", "ref": []}], r"^data\[0\]: ref is blank"),
        ({"mt": "a", "ref": "b"}, r"^data is a single dictionary"),
        ({"mt": ["a"], "ref": ["b", "c"]}, r"^the columns are not equally long: mt 1, ref 2$"),
        (["a"], r"^data\[0\] is 'a'; a dictionary with mt and ref is needed$"),
        (3, r"^data is 3; a list of dictionaries"),
    ],
)
def test_what_cannot_be_scored_is_one_clear_error(data: object, message: str) -> None:
    with pytest.raises(PfsmError, match=message):
        Metric(model()).predict(data)
    with pytest.raises(PfsmError, match=r"^batch_size is 0"):
        Metric(model()).predict([("a", "b")], batch_size=0)
