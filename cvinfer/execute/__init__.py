"""Fits go to worker processes and come back into the store."""
