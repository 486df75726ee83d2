"""How bots play, counted from finished matches, and shown against the field."""
