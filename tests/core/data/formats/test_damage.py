"""Damaged files of every format: one line that says so, or records; never anything else."""

import io
import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pfsm.data.formats import write_tsv
from pfsm.errors import PfsmError
from tests.core.data.formats.reading import reading, write

TEXTS = {"ref": "one\ntwo\n", "src": "jedna\ndvě\n", "docs": "d\ne\n", "out/A": "a\nb\n", "out/B": "c\nd\n"}
DOCS = (
    '<{0}set setid="t" srclang="cs" trglang="en">\n<doc docid="d" sysid="{1}">\n'
    '<seg id="1">a &amp; b</seg>\n</doc>\n</{0}set>\n'
)
MQM = "system\tdoc\tdoc_id\tseg_id\trater\tsource\ttarget\tcategory\tseverity\n"
RANKING = "srclang,trglang,srcIndex,judgeId,system1Id,system1rank,system2Id,system2rank\n"
POST_EDITS = "index\toriginal\ttranslation\tscores\tmean\tz_mean\n0\ts\tm\t[1]\t1\t0\n1\tt\tn\t[1]\t1\t0\n"
BY_LINES: dict[str, Any] = {"references": ("ref",), "system_outputs": ("out",)}
GOOD: dict[str, tuple[dict[str, str], list[str], dict[str, Any]]] = {
    "tsv": ({"x.tsv": "reference\tbetter\tworse\tvotes\nr\ta\tb\t1\nr\tb\ta\t2\n"}, ["x.tsv"], {}),
    "comet": ({"x.csv": 'src,mt,ref,score,lp\n"s\nt",m,"r, ""q""",0.5,cs-en\ns,m,r,1,cs-en\n'}, ["x.csv"], {}),
    "wmt-ranking": ({"x.csv": f"{RANKING}cs,en,1,j,A,1,B,2\n"}, ["x.csv"],
                    {**BY_LINES, "sources": "src", "documents": "docs"}),
    "wmt-da": ({"x": "SYS SID RAW.SCR Z.SCR N \nA 1 50 0.1 1 \nB 2 60 0.2 2 \n"}, ["x"],
               {**BY_LINES, "documents": "docs", "sid_order": "document"}),
    "appraise": ({"x": 'u,A,1,TGT,ces,eng,50,d,False,"[{""start_i"":0,""end_i"":0,""severity"":""minor""}]",1.0,2.0\n'},
                 ["x"], {**BY_LINES, "sources": "src"}),
    "mqm": ({"x": f"{MQM}A\td\t1\t1\tr\tjedna\t<v>a</v>\tx/y\tMajor\nA\te\t1\t2\tr\tdvě\tb\tx\tMinor\n"}, ["x"],
            {"references": ("ref",), "documents": "docs", "sources": "src"}),
    "wmt-jsonl": ({"x": '{"src_text":"s","tgt_text":{"A":"abc","refA":"r"},"doc_id":"cs-en_#_n_#_d_#_1","scores":{"A":'
                   '{"human1":5,"annotator1":"x","errors1":[{"start_i":0,"end_i":1,"severity":"minor"}]}}}\n'},
                  ["x"], {}),
    "pearmut": ({"x": '{"c":[{"item":[{"src":"s","ref":"r","tgt":{"A":"abc"}}],"annotation":[{"A":{"score":5,'
                 '"error_spans":[{"start_i":0,"end_i":3,"severity":null}]}}],"user_id":"u","item_i":0},\n'
                 '{"user_id":"v","item_i":0,"annotation":"__RESET__"}]}'}, ["x"], {}),
    "jsonl": ({"x": '{"ref":"r","mt":"abc","score":5,"errors":[[0,1,"minor"]],"lp":"cs-en"}\n'
               '{"tgt":"b","src":"s","system":"refA"}\n{"tgt":"a","src":"s","system":"A","score":4}\n'}, ["x"], {}),
    "csv": ({"x.csv": "tgt;ref;esa_score;segment\nabc;r;5;1\nb;r;4;2\n"}, ["x.csv"], {}),
    "xliff": ({"x": '<xliff srcLang="cs" trgLang="en"><file><unit><mtc:match><target>a</target></mtc:match>'
               "<segment><source>j</source><target>b</target></segment></unit></file></xliff>"}, ["x"], {}),
    "mt-metrics-eval": ({"t/sources/cs-en.txt": "a\nb\n", "t/documents/cs-en.docs": "n d\nn e\n",
                         "t/references/cs-en.refA.jsonl": '{"target":"a"}\n{"target":"b"}\n',
                         "t/system-outputs/cs-en/A.txt": "a\nb\n",
                         "t/human-scores/cs-en.mqm.seg.score": "A 1\nA None\n",
                         "t/human-scores/cs-en.mqm.sys.score": "A 1\n"}, ["t"], {}),
    "nist": ({"r.sgm": DOCS.format("ref", "R"), "t.xml": '<?xml version="1.0"?>\n' + DOCS.format("tst", "S"),
              "s": "t S d 1 5\n"}, ["r.sgm", "t.xml"], {"scores": ("s",)}),
    "mlqe-pe": ({"p/dev.pe": "p\nq\n", "p/dev.mt": "m\nn\n", "p/dev.hter": "0\n1\n", "p/dev.tsv": POST_EDITS,
                 "p/dev.doc_ids": "d\ne\n"}, ["p"], {}),
    "parallel": ({"x": "1\n2\n"}, ["out/A"], {"references": ("ref",), "scores": ("x",), "sources": "src"}),
}  # fmt: skip
PIECES = st.sampled_from([*b'\t\n ,"<&\xff\0', b"", b"</seg>", b"<doc>", b"nan", b"-1", b"9" * 30]).map(
    lambda piece: bytes([piece]) if isinstance(piece, int) else piece
)


def found(folder: Path, name: str) -> str:
    """What a reading of the files gives, as a TSV."""
    _, inputs, options = GOOD[name]
    named = {
        key: tuple(str(folder / each) for each in value) if isinstance(value, tuple) else str(folder / value)
        for key, value in options.items()
        if key != "sid_order"
    }
    named |= {key: value for key, value in options.items() if key == "sid_order"}
    out = io.StringIO()
    write_tsv(reading([str(folder / each) for each in inputs], name, **named), out)
    return out.getvalue()


def outcome(folder: Path, name: str) -> str:
    """What a reading of the files gives, or the line that refuses them."""
    try:
        return found(folder, name)
    except PfsmError as error:
        return str(error)


@pytest.mark.parametrize("name", GOOD)
def test_damage(name: str, tmp_path: Path) -> None:
    files = {**TEXTS, **GOOD[name][0]}
    for path, content in files.items():
        write(tmp_path, path, content)
    assert found(tmp_path, name).count("\n") > 1

    @settings(max_examples=35)
    @given(st.sampled_from(sorted(files)), st.integers(0, 400), st.integers(0, 20), PIECES)
    def damaged(file: str, start: int, length: int, piece: bytes) -> None:
        with tempfile.TemporaryDirectory() as temporary:
            folder = Path(temporary)
            for path, content in files.items():
                whole = content.encode()
                write(
                    folder, path, whole[:start] + piece + whole[start + length :] if path == file else whole
                )
            told = outcome(folder, name)
            assert told.endswith("\n") or "\n" not in told  # a table, or one line

    damaged()


@pytest.mark.parametrize("name", GOOD)
def test_files_that_are_missing(name: str, tmp_path: Path) -> None:
    files = {**TEXTS, **GOOD[name][0]}
    for path, content in files.items():
        write(tmp_path, path, content)
    assert found(tmp_path, name).count("\n") > 1
    for missing, content in files.items():
        (tmp_path / missing).unlink()
        told = outcome(tmp_path, name)
        assert told.endswith("\n") or "\n" not in told
        write(tmp_path, missing, content)
