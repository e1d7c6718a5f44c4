"""The paper's evaluation as a tool: benchmarks, sweeps, tables, figures.

One cell first: ``cell`` runs one arm on one benchmark under one seed. ``functions`` says what is measured,
``seeded`` what every arm of a seed is given, ``arms`` and ``peers`` who chooses.

Many cells: ``sweeps`` runs them, ``storage`` keeps them, ``results`` is the door for anything that reads a
folder of finished ones. ``readouts`` scores designs, ``area`` defines area reduction and its baseline,
``trajectories`` compares arms; ``pages``, ``figures`` and ``studies`` are made from those. ``speed`` is about
seconds instead of errors.
"""
