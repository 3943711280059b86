from .budget import Budget
from .cache import Cache
from .layer import ModelLayer
from .request import Absent, Brain, ModelRequest, ModelResponse, Scripted
from .settings import ModelSettings, Price, read_models
from .transport import CompletionRequest, FakeTransport, Transport

__all__ = [
    "Absent",
    "Brain",
    "Budget",
    "Cache",
    "CompletionRequest",
    "FakeTransport",
    "ModelLayer",
    "ModelRequest",
    "ModelResponse",
    "ModelSettings",
    "Price",
    "Scripted",
    "Transport",
    "read_models",
]
