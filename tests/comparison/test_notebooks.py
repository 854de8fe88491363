"""What notebooks show."""

import pfsm
from pfsm.comparison import compare_outputs
from pfsm.metrics import get_metric


def test_what_notebooks_show_is_escaped() -> None:
    name = "<script>x</script>"
    found = compare_outputs(
        {name: ["a b", "c"], "other & more": ["a", "c"]}, [["a b", "c"]], [get_metric("bleu")]
    )
    html = found._repr_html_() + pfsm.Model(name, weights={name: 1.0, "Insert": float(-1)})._repr_html_()
    assert "<script" not in html
    assert html.count("&lt;script&gt;") >= 4
    assert f"{found.results[0].comparison.pairs[0].difference:+.4f}" in html
    assert "<svg" in html
