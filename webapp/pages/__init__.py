"""The pages that belong to no other app: home, status, rules, how to write a bot."""
