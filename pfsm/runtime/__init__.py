"""The running process: threads, interrupts, progress, near names."""
