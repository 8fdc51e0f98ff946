"""What is looked at on each side of a pair. Each module has functions that take a Node."""
