"""Slow, obvious oracles. They share no code with the fast paths that they are compared with."""
