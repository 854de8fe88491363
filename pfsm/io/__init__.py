"""Reading and writing: files and their faults, containers, sizes, the user's folders."""
