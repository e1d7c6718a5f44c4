"""Speed beside the peers; see docs/performance.md."""
