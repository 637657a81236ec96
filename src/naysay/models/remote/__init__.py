"""Models behind an address: the client, what a server can do, and how it is asked."""
