"""Questions in words with two options: what the suites for instruction models share.

The context is the paper's, its target becomes a question with two words to choose from, asked in
both orders. Answers are read strictly: anything but one of the two words is no answer, and is
counted apart.
"""
