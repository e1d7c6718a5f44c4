"""The page: see the map, take the next experiments, type in the values.

FastAPI and Jinja2 on top of campaigns. Forms work without script; one small ES module of our own makes
them quicker, and plotly (the script inside the Python package) draws. Nothing is loaded from elsewhere.
Needs the extra ``web``.
"""
