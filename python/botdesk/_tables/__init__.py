"""Tables that people edit: their files, their cells, and the edits that follow from them."""
