"""How Alembic reaches the store: over the connection that :mod:`equiwarp.store.migrate` hands it.

All steps run in one transaction, on SQLite too, so that an interrupted migration leaves the old schema.
"""

from __future__ import annotations

from alembic import context

from equiwarp.store.schema import VERSION_TABLE

connection = context.config.attributes["connection"]
context.configure(connection=connection, version_table=VERSION_TABLE, transactional_ddl=True)
context.run_migrations()
