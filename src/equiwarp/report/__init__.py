"""What can be seen of a campaign: slices of its map, what drives the next choice, the course of its error.

The page and the HTML report show the same numbers, which are computed here. Part of layer 8.
"""
