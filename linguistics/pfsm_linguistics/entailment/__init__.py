"""Features that ask whether reference and hypothesis mean the same, as a textual entailment system would."""
