"""Layer 8: adapters to the tools that people already use, one file each, imported only when used.

Every adapter is thin: it translates what its host knows (the space, what was measured, what is
running) and asks the same engine. What a host cannot say is refused with the reason. See
``docs/integrations.md``.
"""
