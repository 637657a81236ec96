"""Findings made readable: tables for the terminal and for Markdown."""
