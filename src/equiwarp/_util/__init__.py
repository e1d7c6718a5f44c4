"""Small helpers without a subject of their own: random streams, HTML, JSON, words of messages."""
