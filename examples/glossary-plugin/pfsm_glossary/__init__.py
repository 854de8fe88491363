"""Terms of a glossary may replace each other: a matcher and a metric for pfsm."""
