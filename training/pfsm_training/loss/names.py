"""Names of the objectives, as settings write them; the first is the default."""

OBJECTIVES = ("squared_error", "huber")
