"""Small helpers without a subject: random streams, HTML, JSON, messages."""
