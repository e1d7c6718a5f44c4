"""The plain posteriors again, kept up to date, bounded or local: each is held to the plain one by a test."""
