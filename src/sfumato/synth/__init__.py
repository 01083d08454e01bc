"""What is released once and asked for ever: publications, and the mechanisms that make them."""

from sfumato.synth.publication import Publication

__all__ = ["Publication"]
