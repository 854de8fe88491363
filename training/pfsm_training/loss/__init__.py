"""Loss: the log-linear machine and its objectives in PyTorch."""
