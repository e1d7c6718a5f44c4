"""How a design is scored: from its points to an error trajectory."""
