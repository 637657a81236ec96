"""Speed on this machine: naysay beside other ways to ask the same questions.

Each part measures something else, and returns results that are stored as JSON; tables and the page
are made of these. All ways of a comparison take turns in one run, so that other load on the machine
affects them alike, and the best round of each counts. The answers of each are compared with those
of the ways before it. Nothing is downloaded: models have random weights and real sizes.
"""
