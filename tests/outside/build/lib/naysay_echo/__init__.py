"""A suite, an adapter and a language that naysay finds by their entry points."""
