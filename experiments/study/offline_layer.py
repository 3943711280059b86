"""A model layer for seats that are made to be looked at and are never asked to move."""

from orchestrator.models.layer import ModelLayer
from orchestrator.models.request import Brain, Scripted


class OfflineLayer(ModelLayer):
    """Needs no server and no API key: its models have no answers."""

    def brain(self, model: object) -> Brain:
        return Scripted({})
