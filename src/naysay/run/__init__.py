"""Runs: from a spec to rows on disk, in shards that survive interruption."""
