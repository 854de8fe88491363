"""The finite-state machine (pFSM): sums, derivatives and best paths; tilt and sweep are those of both machines."""
