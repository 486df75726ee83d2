"""What a link to the site looks like where people share it: a title, a line, and a picture."""
