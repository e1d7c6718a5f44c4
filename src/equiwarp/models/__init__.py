"""What predicts: map models, one file per family, and a registry."""

from equiwarp.models.base import MapModel
from equiwarp.models.registry import DEFAULT_MODEL, find_model, model_names, require_model

__all__ = ["DEFAULT_MODEL", "MapModel", "find_model", "model_names", "require_model"]
