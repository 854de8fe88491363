"""What DPM and DPMF are called."""

DPM = "dpm-model"
# With METEOR's paraphrases and word lists; with what ships.
DPMF, DPMF_BASE = "dpmf", "dpmf-base"
