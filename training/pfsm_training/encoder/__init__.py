"""Learning over an encoder's states: the head of `pfsm.encoder`, in PyTorch."""
