# shellcheck shell=bash
# Sourced by the scripts of this folder: versions, folders and addresses.

KUBERNETES_VERSION=1.35.4
COREDNS_VERSION=1.14.7
HELM_VERSION=3.20.2
KUBECONFORM_VERSION=0.8.0

# The programs, which take a quarter of an hour to build; outside the checkout, so that they outlive it.
KUBE_BIN=${KUBE_BIN:-${XDG_CACHE_HOME:-$HOME/.cache}/svc/kubernetes-$KUBERNETES_VERSION}
# What a running cluster writes; removed with it.
KUBE_DIR=${KUBE_DIR:-/tmp/svc-cluster}
KUBE_NODES=${KUBE_NODES:-2}

cluster_dir=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# Node.js 24, for the parts that are written in TypeScript.
NODE=${NODE:-$cluster_dir/../../../node_modules/.bin/node}

# Addresses: nodes 10.213.N.2, their pods 10.244.N.0/24, Services 10.96.0.0/16; the machine is 10.213.1.1.
node_address() { echo "10.213.$1.2"; }
machine_address=10.213.1.1
api_server=https://$(node_address 1):6443
dns_address=10.96.0.10
link=svc-cluster

export KUBECONFIG=$KUBE_DIR/admin.kubeconfig
export PATH=$KUBE_BIN:$PATH:/usr/sbin:/sbin

say() { printf '%(%T)T %s\n' -1 "$*" >&2; }

# eventually SECONDS WHAT COMMAND...: tries until the command succeeds.
eventually() {
  local limit=$1 what=$2 end=$((SECONDS + $1))
  shift 2
  until "$@" >/dev/null 2>&1; do
    if ((SECONDS >= end)); then
      say "$what: not within $limit s"
      return 1
    fi
    sleep 0.1
  done
  say "$what: after $SECONDS s"
}
