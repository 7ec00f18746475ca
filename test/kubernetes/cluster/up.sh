#!/usr/bin/env bash
# Starts a cluster on this machine, of KUBE_NODES nodes: real programs, each node in namespaces of its own.
# One that answers already is left alone. Needs root on Linux, and the programs that build.sh makes.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/names.sh"

answers() { kubectl get --raw /readyz >/dev/null 2>&1; }
if answers; then
  say 'the cluster is up already'
  exit
fi
for name in kube-apiserver kube-controller-manager kube-scheduler kubelet kubectl kube-proxy images/pause.tar images/coredns.tar; do
  [[ -e $KUBE_BIN/$name ]] || { say "$KUBE_BIN/$name is missing: build.sh makes it"; exit 1; }
done
"$cluster_dir/down.sh"
SECONDS=0
mkdir -p "$KUBE_DIR/pki"
chmod 700 "$KUBE_DIR"

# What Debian has.
missing=()
for package in etcd-server:etcd containerd:containerd runc:runc iptables:iptables conntrack:conntrack \
  iproute2:ip openssl:openssl containernetworking-plugins:/usr/lib/cni/bridge; do
  command -v "${package#*:}" >/dev/null || missing+=("${package%:*}")
done
if ((${#missing[@]} > 0)); then
  export DEBIAN_FRONTEND=noninteractive
  apt-get update -qq
  apt-get install -y -qq --no-install-recommends -o DPkg::Lock::Timeout=300 "${missing[@]}" >/dev/null
  say "installed ${missing[*]}"
fi

# Control groups, where no init system has mounted them: version 1, a hierarchy for each controller.
if ! grep -q ' /sys/fs/cgroup[^ ]* cgroup' /proc/mounts; then
  mount -t tmpfs -o mode=755 cgroup /sys/fs/cgroup
  while read -r controller; do
    mkdir -p "/sys/fs/cgroup/$controller"
    mount -t cgroup -o "$controller" cgroup "/sys/fs/cgroup/$controller" || rmdir "/sys/fs/cgroup/$controller"
  done < <(awk '!/^#/ && $4 == 1 { print $1 }' /proc/cgroups)
fi

# Certificates. The API server knows a caller by the names in its certificate.
cd "$KUBE_DIR/pki"
new_key=(-newkey ec -pkeyopt ec_paramgen_curve:P-256 -noenc)
openssl req -x509 "${new_key[@]}" -days 30 -subj /CN=svc-cluster -keyout ca.key -out ca.crt 2>/dev/null
openssl genpkey -algorithm RSA -pkeyopt rsa_keygen_bits:2048 -out accounts.key 2>/dev/null
openssl pkey -in accounts.key -pubout -out accounts.pub

# certificate NAME SUBJECT [EXTENSION]
certificate() {
  openssl req "${new_key[@]}" -subj "$2" -keyout "$1.key" -out "$1.csr" 2>/dev/null
  openssl x509 -req -in "$1.csr" -CA ca.crt -CAkey ca.key -CAcreateserial -days 30 -out "$1.crt" \
    -extfile <(printf 'extendedKeyUsage=serverAuth,clientAuth\n%s\n' "${3:-}") 2>/dev/null
}

# caller NAME SUBJECT: a certificate, and the kubeconfig that uses it.
caller() {
  certificate "$1" "$2"
  cat >"$KUBE_DIR/$1.kubeconfig" <<YAML
apiVersion: v1
kind: Config
clusters: [{ name: here, cluster: { server: "$api_server", certificate-authority: $PWD/ca.crt } }]
users: [{ name: $1, user: { client-certificate: $PWD/$1.crt, client-key: $PWD/$1.key } }]
contexts: [{ name: here, context: { cluster: here, user: $1 } }]
current-context: here
YAML
}

certificate server /CN=kube-apiserver "subjectAltName=DNS:kubernetes,DNS:kubernetes.default,\
DNS:kubernetes.default.svc,DNS:kubernetes.default.svc.cluster.local,IP:10.96.0.1,IP:127.0.0.1,IP:$(node_address 1)"
certificate aggregator /CN=aggregator
caller admin /O=system:masters/CN=admin
caller controller-manager /CN=system:kube-controller-manager
caller scheduler /CN=system:kube-scheduler
caller proxy /CN=system:kube-proxy
for ((i = 1; i <= KUBE_NODES; i++)); do caller "node$i" "/O=system:nodes/CN=system:node:node$i"; done

# begin INDEX: the first process of a node. When it ends, the kernel ends all others of the node.
begin() {
  local name=node$1 controller of_node unshare child=
  mkdir -p "$KUBE_DIR/$name"
  for controller in /sys/fs/cgroup/*/; do
    [[ -e $controller/cgroup.procs ]] || continue
    of_node=$controller/svc-cluster-$name
    mkdir -p "$of_node"
    # A set of processors must be filled before a process can enter.
    if [[ -e $controller/cpuset.cpus ]]; then
      cat "$controller/cpuset.cpus" >"$of_node/cpuset.cpus"
      cat "$controller/cpuset.mems" >"$of_node/cpuset.mems"
    fi
    # The scheduler weighs a group as one process otherwise, and probes time out on a busy machine.
    if [[ -e $of_node/cpu.shares ]]; then echo 8192 >"$of_node/cpu.shares"; fi
  done
  NODE=$NODE KUBE_BIN=$KUBE_BIN KUBE_DIR=$KUBE_DIR KUBE_NODES=$KUBE_NODES setsid \
    unshare --fork --kill-child --mount --mount-proc --propagation private --net --pid --uts \
    "$cluster_dir/node.sh" "$1" >"$KUBE_DIR/$name.log" 2>&1 </dev/null &
  unshare=$!
  until [[ -n $child ]]; do
    kill -0 "$unshare"
    child=$(tr -d ' ' <"/proc/$unshare/task/$unshare/children")
    [[ -n $child ]] || sleep 0.05
  done
  echo "$child" >"$KUBE_DIR/$name.pid"
}

pid_of() { cat "$KUBE_DIR/node$1.pid"; }

# The machine is linked to the first node, and the first node to each other one.
begin 1
ip link add "$link" type veth peer name eth0 netns "$(pid_of 1)"
ip addr add "$machine_address/24" dev "$link"
ip link set "$link" up
for range in 10.96.0.0/16 10.244.0.0/16; do ip route replace "$range" via "$(node_address 1)"; done
for ((i = 2; i <= KUBE_NODES; i++)); do
  begin "$i"
  ip link add "$link-$i" type veth peer name eth0 netns "$(pid_of "$i")"
  ip link set "$link-$i" netns "$(pid_of 1)" name "node$i"
  ip route replace "10.213.$i.0/24" via "$(node_address 1)"
done

failed() {
  tail -n 3 "$KUBE_DIR"/node*.log "$KUBE_DIR"/node*/*.log >&2
  exit 1
}
eventually 120 'API server' answers || failed
"$cluster_dir/load.sh" --archive "$KUBE_BIN"/images/{pause,coredns}.tar || failed
kubectl apply --filename "$cluster_dir/addons.yaml" >/dev/null
usage() { kubectl get --raw /apis/metrics.k8s.io/v1beta1/nodes | grep -q usage; }
nodes() { (($(kubectl get nodes --output name | wc -l) == KUBE_NODES)); }
eventually 120 'nodes registered' nodes || failed
eventually 120 'nodes Ready' kubectl wait --for condition=Ready --timeout 1s node --all || failed
eventually 120 'DNS' kubectl wait --for condition=Available --timeout 1s --namespace kube-system deployment/coredns || failed
eventually 120 'usage of nodes' usage || failed
