"""What tests are made of: languages, word lists, patterns, data sets and their readers."""
