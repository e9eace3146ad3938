"""Search of tools: how good it is, against other rankers on the same queries."""
