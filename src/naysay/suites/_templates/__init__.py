"""Templates with the model's own verbs: what gh22 and the replication of it share.

The model is asked once, per pair of name and profession, what such a person likes to do. Its verbs
of the wanted ranks go into every template.
"""
