"""Partitions: how their files are written, and how much text goes into one."""

# The ends of files' names, by format.
FORMATS = {"parquet": ".parquet", "tsv": ".tsv", "tsv.gz": ".tsv.gz"}
# About 30,000 pairs of 20 words a side.
PARTITION_BYTES = 8 << 20
LEAST_BYTES = 1 << 10
