"""One module per command of the command line: ``add_arguments(parser)`` and ``run(options)``.

Whatever the user can put right is raised as `PfsmError`, in a line that names file, line or option and the fix.
"""

TASKS = {
    "score and compare translations": {
        "score": "score translations",
        "compare": "say which of two or more systems is better",
        "explain": "show why translations got their scores",
        "mbr": "choose among candidates by expected score",
        "submit": "write score files for the WMT metrics task",
        "serve": "offer scores and explanations over HTTP, and a workbench",
    },
    "train a metric": {
        "data": "convert, check and summarise human judgments",
        "train": "learn a metric from human scores",
        "tune": "tune the costs of TERp's edits to human scores",
        "show": "print what a model has learned",
    },
    "test a metric": {
        "evaluate": "measure how well scores agree with people",
        "probe": "test on minimal pairs whether a model notices faults",
        "experiment": "run a table of experiments from a YAML file",
    },
    "see what there is": {
        "models": "list the shipped models",
        "metrics": "list other metrics, and features of models",
        "resources": "list tables of synonyms and paraphrases; compile others",
        "plugins": "list and check what other packages add",
    },
    "language and machine": {
        "parse": "tag and parse text, or evaluate a parser",
        "warmup": "compile all kernels ahead, for images and read-only machines",
    },
}
"""The commands and what they do, by task."""

COMMANDS = {name: summary for commands in TASKS.values() for name, summary in commands.items()}
"""The commands and what they do."""
