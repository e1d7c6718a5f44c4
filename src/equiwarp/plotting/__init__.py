"""Every static picture, for report, notebook, page and command line."""
