"""What lives in a worker process and needs no engine: scratch, causes, captured output."""
