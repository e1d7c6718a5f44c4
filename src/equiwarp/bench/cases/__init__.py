"""Real measurements, replayed: tables that somebody measured whole, of which a strategy may choose rows.

``measured_case`` says what such a table is; a file for each source loads it and says who measured it.
``replay`` lets an arm choose and judges its map over the whole table, ``saving`` counts what was saved.
"""
