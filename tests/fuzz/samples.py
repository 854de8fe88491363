"""A small good file of every kind, to be damaged."""

import json

from tests.judgment_cases import rows, tsv
from tests.model_cases import document

_CSV = "reference,hypothesis,score\n" + '"a ""red"" lamp","a lamp, red",1.5\nb,c,-2\nd,"e\nf",3\n'
_SGML = """<refset setid="t" srclang="any" trglang="en">
<doc docid="d1" sysid="ref"><p>
<seg id="1">A lamp &amp; a river.</seg>
<seg id="2">Rain <!-- or snow --> falls.</seg>
</p></doc></refset>
"""
_XML = """<?xml version="1.0" encoding="UTF-8"?>
<dataset id="t"><doc id="d1" origlang="cs"><src lang="cs"><p><seg id="1">Lampa</seg></p></src>
<ref lang="en" translator="A"><p><seg id="1">A lamp &lt;x&gt;</seg></p></ref>
<hyp system="s" language="en"><p><seg id="1">One lamp</seg></p></hyp></doc></dataset>
"""
_CONLLU = """# sent_id = 1
# text = birds sing
1\tbirds\tbird\tNOUN\tNNS\tNumber=Plur\t2\tnsubj\t_\t_
2\tsing\tsing\tVERB\tVBP\t_\t0\troot\t_\tSpaceAfter=No
3-4\tdon't\t_\t_\t_\t_\t_\t_\t_\t_
3\tdo\tdo\tAUX\tVBP\t_\t2\taux\t_\t_
4\tn't\tnot\tPART\tRB\t_\t2\tadvmod\t_\t_

"""
_EXPERIMENT = """title: A table
train: train/*.tsv
test: {name: made, files: test/*.tsv}
statistics: [pearson, spearman]
resamples: 60
rows:
  - {name: one, metric: bleu}
  - {name: two, train: {lambda: 2}}
"""
_STATE = {
    "parameters": [0.5, -1.0],
    "damping": 1.0,
    "iterations": 3,
    "evaluations": 4,
    "correction": [[1.0, 0.0], [0.0, 1.0]],
}

SAMPLES: dict[str, bytes] = {
    name: content.encode()
    for name, content in {
        "text.txt": "a lamp\n\nb\r\nün\u2028der\n",
        "judgments.tsv": tsv(rows(6)),
        "judgments.csv": _CSV,
        "preferences.tsv": "reference\tbetter\tworse\tvotes\na b\ta b\ta\t2\nc\tc\td\t1\n",
        "set.sgm": _SGML,
        "set.xml": _XML,
        "pairs.tsv": "kind\treference\tbetter\tworse\ndrop\twe walk home\twe walk home\twe home\n",
        "trees.conllu": _CONLLU,
        "trees.ptb": "(ROOT (S (NP (NNS birds)) (VP (VBP sing))))\n\n(ROOT (NP (NN rain)))\n",
        "model.json": json.dumps(
            document(settings={"language": "en", "max_block": {"word": 2}, "features": ["bleu.bp"]})
        ),
        "settings.yaml": "language: en\nmatchers: [punct, word, lemma]\nmax_block: 2\nlambda: [1, 5.5]\noptions: {}\n",
        "experiment.yaml": _EXPERIMENT,
        "checkpoint.json": json.dumps({"format": "pfsm-checkpoint-2", "key": "x", "fits": [_STATE, None]}),
        "vectors.txt": "3 4\nthe 1 0 0 0.5\ncat 0 1 -1e-3 0\nsat 0 0 1 2\n",
        "meteor.txt": "0.5\nvery big\nhuge\n0.25\nby the way\nbesides\n",
        "terp.txt": "0.5 <p>very big</p> <p>huge</p>\n0.1 <p>a</p> <p>b</p>\n",
        "ppdb.txt": "[X] ||| big ||| huge ||| p(e|f)=1.5 x=2 ||| 0-0\n",
        "wn.tab": "# name\tfra\tx\tfree\n00001-n\tfra:lemma\tlampe\n00001-n\tlemma\tlumière\n",
    }.items()
}
