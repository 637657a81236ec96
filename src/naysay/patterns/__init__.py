"""Sentences from patterns: text with slots, word lists, and how they meet."""
