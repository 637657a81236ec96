"""Esperanto: the folder's data files are the language."""
