"""People: sign-up, sign-in, deletion."""
