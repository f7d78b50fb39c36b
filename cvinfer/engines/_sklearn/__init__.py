"""What the engines of Python's learners are made of."""
