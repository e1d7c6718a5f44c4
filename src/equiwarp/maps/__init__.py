"""The map: predictions, their error, a forecast, and when one may stop.

Nothing is imported here: whoever needs a stop rule does without the models of a map.
"""
