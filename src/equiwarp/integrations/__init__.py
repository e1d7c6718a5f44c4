"""Adapters to the tools that people already use, one file each.

Each is imported only when it is used, and thin: it translates what its host knows (the space, what was
measured, what is running) and asks the same engine. What a host cannot say is refused with the reason. See
``docs/integrations.md``.
"""

from equiwarp.integrations.campaigns import to_campaign

__all__ = ["to_campaign"]
