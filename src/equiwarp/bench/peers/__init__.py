"""Arms that are not strategies of this library: other people's methods, and the limit of all of them.

Each file is one peer and imports its package only when a run starts. The packages come with the extra
``peers``; the oracles and the criteria that run on models of ours need none.
"""
