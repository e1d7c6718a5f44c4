"""Studies beside the main table: where criteria choose, what they cost, how the lengthscale matters."""
