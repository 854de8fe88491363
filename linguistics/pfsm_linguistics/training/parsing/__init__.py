"""Training of the shipped parsers, from treebanks to a file of quantised weights."""
