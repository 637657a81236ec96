"""Findings as tables, charts and pages."""
