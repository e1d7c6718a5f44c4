"""Layer 4: the acquisition geometry, which is what equiwarp adds to the field."""
