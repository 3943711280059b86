"""How answers of the package's fake server are told from those of a language model."""

FINGERPRINT = "hanabi-orchestrator-fake-endpoint"
"""The `system_fingerprint` in the answers of `orchestrator.models.fake_endpoint`, whatever model is asked for."""
