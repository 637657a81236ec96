"""The one place that says which version of naysay this is."""

VERSION = "0.1.0"
