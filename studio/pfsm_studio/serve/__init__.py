"""``pfsm serve``: scores, comparisons and explanations over HTTP, and a workbench in the browser."""
