"""Conformance tests of plug-ins: ``pfsm plugins check NAME``."""
