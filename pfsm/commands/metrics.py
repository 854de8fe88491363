"""``pfsm metrics``: metrics that are not models, and the features that models may weigh."""

from argparse import ArgumentParser, Namespace

from pfsm.commands.options import declare
from pfsm.commands.output import print_columns, print_json
from pfsm.errors import PfsmError
from pfsm.metrics.registry import describe_feature, feature_names, metric_names

OPTIONS = """
--features  sentence-level features, metrics and their parts, instead; column:NAME, a column of the data, is another
@format text json
"""


def add_arguments(parser: ArgumentParser) -> None:
    """Arguments of the command."""
    declare(parser, OPTIONS)


def run(options: Namespace) -> None:
    """Lists them."""
    names = feature_names() if options.features else metric_names()
    about = {name: _described(name) for name in names}
    if options.format == "json":
        print_json(about)
        return
    print_columns([*about.items()])
    if not options.features:
        print(
            "[options: NAME(KEY=VALUE,…); with lexical overlap, for metrics that come with pfsm: NAME_i, NAME_b]"
        )


def _described(name: str) -> str:
    """Half a line; of a plug-in that cannot be used, why."""
    try:
        return describe_feature(name)
    except PfsmError as error:
        return f"broken: {error}"
