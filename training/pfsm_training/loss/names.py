"""Names of the objectives in a configuration; the first is the default."""

OBJECTIVES = ("squared_error", "huber")
