"""The local web app: runs, single items, comparisons, and a model to try, in the browser."""
