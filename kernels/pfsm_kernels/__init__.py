"""Numba kernels of pfsm: arrays in, arrays out; no strings, no files, no torch.

``lattice`` holds the arrays of a batch of sentence pairs; ``machine`` and ``pushdown`` are the two machines over edits,
and ``inference`` is the typed front of both (log-sum, expected counts, best path). ``strings``, ``syntax`` and
``statistics`` are what metrics, parsers and their evaluation compute.
"""

from pfsm_kernels import cache as cache
