"""Kernels over vectors of pieces: projection, cosines, and a machine that may match any piece with any other."""
