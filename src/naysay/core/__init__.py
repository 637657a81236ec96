"""Shared basics: probes, records, options, keys, errors. Imports nothing else of naysay."""

VERSION = "0.2.0.dev0"
