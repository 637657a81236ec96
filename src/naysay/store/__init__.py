"""Where rows are kept: one Parquet file per shard."""
