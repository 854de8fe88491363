"""Lattices as arrays: how they are checked and put in order, and what kernels take and give for a batch of them."""
