"""Layer 8: the paper's evaluation as a tool: benchmarks, protocol, engine, tables and figures.

``benchmarks`` says what is measured, ``arms`` who chooses, ``problem`` and ``cell`` how one run goes,
``engine`` where runs go, ``readouts`` and ``area`` how designs are scored, ``table`` what is printed.
``results`` is the door for anything that reads a folder of finished runs.
"""
