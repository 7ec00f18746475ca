#!/usr/bin/env bash
# Gives images to every node; there is no registry. Pods must not pull: use a tag other than latest.
#   load.sh IMAGE...               of the container engine
#   load.sh --archive FILE.tar...  as `docker save` writes them
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/names.sh"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
if [[ $1 == --archive ]]; then
  archives=("${@:2}")
else
  archives=("$work/images.tar")
  docker save --output "${archives[0]}" "$@"
fi
import() {
  local archive
  for archive in "${archives[@]}"; do
    ctr --address "$1" --namespace k8s.io images import --snapshotter overlayfs "$archive" >/dev/null
  done
}
pids=()
for ((i = 1; i <= KUBE_NODES; i++)); do
  socket=$KUBE_DIR/node$i/containerd.sock
  eventually 60 "containerd of node$i" test -S "$socket"
  import "$socket" &
  pids+=($!)
done
for pid in "${pids[@]}"; do wait "$pid"; done
