"""How long one more suggestion takes, beside a dense reference, the floor and the peers."""
