"""Shared parts of the masked and causal adapters: loading, tokenization, batching, the head."""
