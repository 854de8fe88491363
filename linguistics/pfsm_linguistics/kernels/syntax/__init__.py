"""Trees: sums over dependency and constituent trees, the best of them, tree kernels, a shift-reduce parser."""
