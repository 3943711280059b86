from . import fake_endpoint

__all__ = ["fake_endpoint"]
