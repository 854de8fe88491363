"""Numba kernels of pfsm: arrays in, arrays out; no strings, no files, no torch.

``lattices`` holds the arrays of a batch of sentence pairs; ``inference`` is the typed front of the
finite-state machine (log-sum, expected counts, best path); ``rank`` counts concordant pairs;
``matching`` finds the places where two token sequences agree.
"""

from pfsm_kernels import cache as cache
