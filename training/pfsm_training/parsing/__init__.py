"""Training of the parsers that ship: treebanks in, one file of quantised weights out."""
