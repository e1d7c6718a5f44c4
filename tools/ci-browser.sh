#!/bin/sh
# The browser that the page's tests drive: Debian's chromium, unless there is one already.
set -eu
command -v chromium >/dev/null && exit 0
apt-get update -q
apt-get install -y -q --no-install-recommends chromium
