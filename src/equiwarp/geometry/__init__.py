"""The acquisition geometry: equalizer, density, transport and warp.

It is what equiwarp adds to the field.
"""
