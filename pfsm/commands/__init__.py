"""One module per command of the command line: ``add_arguments(parser)`` and ``run(options)``.

Whatever the user can put right is raised as `PfsmError`, in a line that names file, line or option and the fix.
"""

COMMANDS = {
    "train": "learn a metric from human scores",
    "tune": "tune the costs of TERp's edits to human scores",
    "score": "score translations",
    "compare": "say which of two or more systems is better",
    "evaluate": "measure how well scores agree with people",
    "submit": "write score files for the WMT metrics task",
    "explain": "show why translations got their scores",
    "serve": "offer scores and explanations over HTTP, and a workbench",
    "mbr": "choose among candidates by expected score",
    "probe": "test on minimal pairs whether a model notices faults",
    "data": "convert, check and summarise human judgments",
    "experiment": "run a table of experiments from a YAML file",
    "models": "list the models that ship with pfsm",
    "metrics": "list other metrics, and features of models",
    "show": "print what a model has learned",
    "parse": "tag and parse text, or evaluate a parser",
    "plugins": "list and check what other packages add",
    "resources": "list tables of synonyms and paraphrases; compile others",
    "warmup": "compile all kernels ahead, for images and read-only machines",
}
"""The commands and what they do."""
