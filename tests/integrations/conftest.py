"""The fixtures of the other tests; these run with a configuration of their own, see pytest.ini."""

from tests.conftest import equalizer_cache, rng

__all__ = ["equalizer_cache", "rng"]
