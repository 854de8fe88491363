"""DPM and DPMF: how likely a parsing model of the reference alone finds the hypothesis (Yu et al. 2015)."""
