"""Statistics over many draws: rank correlations, pairs of segments, resampling, the order of systems."""
