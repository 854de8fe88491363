"""Names of features as a person reads them."""

import pytest

from pfsm.model.explain.explanation import label


@pytest.mark.parametrize(
    ("feature", "shown"),
    [
        ("chrf", "chrf"),
        ("encoder(head=dd000d3fd026aff6,source=shipped:minilm@ad84cdf6)", "encoder"),
        ("embedding_f1(layer=4,source=/a,b/vectors.txt@1a2b3c4d)", "embedding_f1(layer=4)"),
        ("embedding_distance(source=package:x@1a2b3c4d)", "embedding_distance"),
        ("embedding_distance", "embedding_distance"),
        ("edpm.dl.p(n=50)", "edpm.dl.p(n=50)"),
        ("bleu.upto_2", "bleu.upto_2"),
    ],
)
def test_a_label_has_no_digests_and_places(feature: str, shown: str) -> None:
    assert label(feature) == shown
