"""Training of the parser and of the labeller; needs PyTorch."""
