#!/usr/bin/env bash
# Builds the programs of a cluster into KUBE_BIN from Go modules, and the images of its pods by the
# container engine. What is there already stays. Go 1.25 or later and 6 GB for its cache are needed.
#   build.sh [NAME...]
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/names.sh"

all=(kube-apiserver kube-controller-manager kube-scheduler kubelet kubectl kube-proxy pause coredns helm kubeconform)
(($# > 0)) || set -- "${all[@]}"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$KUBE_BIN/images"
export CGO_ENABLED=0 GOFLAGS='-mod=mod -buildvcs=false'

# module NAME [MODULE@VERSION...]: a folder with a go.mod that requires these. Since Go 1.17 what they require in turn is
# looked at only where it is compiled: elsewhere it need not be available.
module() {
  mkdir -p "$work/$1" && cd "$work/$1"
  printf 'module svc.local/%s\n\ngo 1.25\n' "$1" >go.mod
  shift
  for required; do go mod edit -require "$required"; done
}

# The module k8s.io/kubernetes refers to its own libraries by folders that it does not contain. They are
# published as modules of their own, with the same minor and patch number.
with_kubernetes() {
  local module path
  module=$(go mod download -json "k8s.io/kubernetes@v$KUBERNETES_VERSION" | sed -n 's/.*"GoMod": "\(.*\)".*/\1/p')
  go mod edit -require "k8s.io/kubernetes@v$KUBERNETES_VERSION"
  for path in $(sed -n 's|^[[:space:]]*\(k8s.io/[a-z-]*\) => ./staging/.*|\1|p' "$module"); do
    go mod edit -replace "$path=$path@v0.${KUBERNETES_VERSION#1.}"
  done
}

# compile OUT PACKAGE [FLAG...]: under another name first, so that KUBE_BIN has whole programs only.
compile() {
  local out=$1 package=$2
  go build -trimpath -ldflags "-s -w ${*:3}" -o "$out.part" "$package"
  mv "$out.part" "$out"
}

kubernetes() {
  local version=k8s.io/component-base/version minor=${KUBERNETES_VERSION#1.}
  module "$1"
  with_kubernetes
  compile "$KUBE_BIN/$1" "k8s.io/kubernetes/cmd/$1" -X $version.gitVersion=v$KUBERNETES_VERSION \
    -X $version.gitMajor=1 -X "$version.gitMinor=${minor%.*}" -X $version.gitTreeState=clean
}

# image NAME FILE.go [MODULE@VERSION...]: one program and nothing else.
image() {
  local name=$1 source=$2
  module "$name" "${@:3}"
  cp "$cluster_dir/$source" .
  compile "$work/$name/program" .
  printf 'FROM scratch\nCOPY program /program\nUSER 65534:65534\nENTRYPOINT ["/program"]\n' >Dockerfile
  docker build --quiet --tag "svc.local/$name:1" . >/dev/null
  docker save "svc.local/$name:1" >"$KUBE_BIN/images/$name.tar.part"
  mv "$KUBE_BIN/images/$name.tar.part" "$KUBE_BIN/images/$name.tar"
}

for name; do
  if [[ -e $KUBE_BIN/$name || -e $KUBE_BIN/images/$name.tar ]]; then continue; fi
  begun=$SECONDS
  case $name in
    kube-* | kubelet | kubectl) kubernetes "$name" ;;
    pause) image pause pause.go ;;
    coredns) image coredns coredns.go "github.com/coredns/coredns@v$COREDNS_VERSION" ;;
    helm)
      # With the libraries of Kubernetes that are compiled already.
      module helm "helm.sh/helm/v3@v$HELM_VERSION"
      with_kubernetes
      compile "$KUBE_BIN/helm" helm.sh/helm/v3/cmd/helm -X helm.sh/helm/v3/internal/version.version=v$HELM_VERSION
      ;;
    kubeconform)
      module kubeconform "github.com/yannh/kubeconform@v$KUBECONFORM_VERSION"
      compile "$KUBE_BIN/kubeconform" github.com/yannh/kubeconform/cmd/kubeconform
      ;;
    *)
      say "$name is none of ${all[*]}"
      exit 2
      ;;
  esac
  say "$name: built in $((SECONDS - begun)) s"
done
