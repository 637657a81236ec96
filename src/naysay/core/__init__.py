"""What every room shares: probes, records, options, keys, errors. It knows nothing above it."""

VERSION = "0.1.0"
