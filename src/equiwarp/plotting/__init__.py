"""Every static picture once, for report, notebook, page and command line."""
