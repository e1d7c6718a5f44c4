"""Runs: drive a Python function or a command through a campaign, on any executor.

:func:`equiwarp.run` is in ``entry``. Nothing is imported here: every worker process loads this package.
"""
