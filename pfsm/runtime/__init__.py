"""The running process: threads, interrupts, near names."""
