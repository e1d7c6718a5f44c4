"""Alembic's folder: ``env.py`` connects, ``versions/`` holds one file a step."""
