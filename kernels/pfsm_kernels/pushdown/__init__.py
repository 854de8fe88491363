"""The restricted pushdown machine (pPDA): jumps, and sums, derivatives and best paths of edits that have them."""
