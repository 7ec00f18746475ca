#!/bin/sh
# Redis for the tests, and pnpm in the version that the images are built with. PostgreSQL comes as a
# package, with `npm start` and `npm test`.
set -eu
sudo apt-get update
sudo apt-get install -y --no-install-recommends redis-server
npm install --global "$(grep -oE 'pnpm@[0-9.]+' deploy/docker/Dockerfile)"
pnpm install --frozen-lockfile
