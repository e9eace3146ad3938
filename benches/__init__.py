"""Measurements. None of them is a test: nothing here fails because a machine is slow."""
