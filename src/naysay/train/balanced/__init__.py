"""The balanced corpus of Kassner and Schütze (2020): is *not* learnt where it is frequent?"""
