#!/usr/bin/env bash
# Ends the cluster of up.sh, and removes all that it left on the machine.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/names.sh"
shopt -s nullglob

for file in "$KUBE_DIR"/node*.pid; do
  pid=$(<"$file")
  # Another process may have the number by now.
  grep -qs 'node\.sh' "/proc/$pid/cmdline" || continue
  kill -KILL "$pid"
  while grep -qsE '^State:\s+[^Z]' "/proc/$pid/status"; do sleep 0.1; done
done
ip link del "$link" 2>/dev/null || true
for range in 10.96.0.0/16 10.244.0.0/16; do ip route del "$range" 2>/dev/null || true; done
for group in /sys/fs/cgroup/*/svc-cluster-node* /sys/fs/cgroup/svc-cluster-node*; do
  for _ in {1..50}; do
    find "$group" -depth -type d -exec rmdir {} + 2>/dev/null && break
    [[ -d $group ]] || break
    sleep 0.1
  done
done
# The kernel unmounts what was in the nodes a moment after they ended.
for _ in {1..50}; do
  rm -rf "$KUBE_DIR" 2>/dev/null && break
  sleep 0.2
done
