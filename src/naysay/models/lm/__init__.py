"""What the masked and the causal adapter share: loading, tokenizing in place, batches, the head."""
