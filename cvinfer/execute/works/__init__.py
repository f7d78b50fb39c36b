"""What a worker can do, one file a kind of work."""
