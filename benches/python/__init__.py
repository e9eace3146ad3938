"""The Python path, measured in one run against pydantic-monty."""
