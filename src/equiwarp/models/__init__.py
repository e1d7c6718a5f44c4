"""What predicts: map models, one file per family, and a registry."""

from equiwarp.models.base import MapModel
from equiwarp.models.registry import DEFAULT_MODELS, find_model, model_names, read_models

__all__ = ["DEFAULT_MODELS", "MapModel", "find_model", "model_names", "read_models"]
