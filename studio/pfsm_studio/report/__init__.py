"""The report of a training: what it has learned, how far to trust it, and which judgments to look at again."""
