"""Lines as token ids: what two of them share, n-grams, edit distances, shifts, METEOR's alignments, spelling."""
