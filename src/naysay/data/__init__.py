"""The data of the tests: languages, word lists, patterns, data sets and their readers."""
