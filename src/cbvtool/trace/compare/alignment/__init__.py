"""One-to-one alignment of two call trees by their structure, never by clock (TD-11)."""
