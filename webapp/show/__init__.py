"""``arena show FILE --web``: a record of one's own in the site's viewer, without a site."""
