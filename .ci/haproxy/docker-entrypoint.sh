#!/bin/sh
set -e
# An option alone is one of haproxy, which is run as master and worker in the foreground.
if [ "${1#-}" != "$1" ]; then set -- haproxy "$@"; fi
if [ "$1" = haproxy ]; then
  shift
  set -- haproxy -W -db "$@"
fi
exec "$@"
