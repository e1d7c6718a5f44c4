"""One round: from what has been measured to where to measure next.

Read :mod:`equiwarp.engine.algorithm` first: ``choose()`` is the paper's Algorithm 1, step by step.
"""
