#!/usr/bin/env bash
# The first process of a node, in namespaces of its own. up.sh starts it.
#   node.sh INDEX
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/names.sh"
index=$1
home=$KUBE_DIR/node$index
address=$(node_address "$index")
pki=$KUBE_DIR/pki

# With the pods, which are below: what runs on a node has the weight of all of them on a busy machine.
if [[ -e /sys/fs/cgroup/cpu/svc-cluster-node$index ]]; then
  echo $$ >"/sys/fs/cgroup/cpu/svc-cluster-node$index/cgroup.procs"
fi

hostname "node$index"
# The kubelet shares mounts with containers, so its folder has to be a mount that is shared.
mount --bind "$home" "$home"
mount --make-rshared "$home"

# The kubelet sets these, but they belong to the machine: it finds files in their place.
while read -r name value; do
  echo "$value" >"$home/${name//\//.}"
  mount --bind "$home/${name//\//.}" "/proc/sys/$name"
done <<'SETTINGS'
vm/overcommit_memory 1
vm/panic_on_oom 0
kernel/panic 10
kernel/panic_on_oops 1
kernel/keys/root_maxkeys 1000000
kernel/keys/root_maxbytes 25000000
SETTINGS

linked() { until ip link show "$1" >/dev/null 2>&1; do sleep 0.05; done; }
ip link set lo up
linked eth0
ip addr add "$address/24" dev eth0
ip link set eth0 up
ip route add default via "10.213.$index.1"
if ((index == 1)); then
  for ((i = 2; i <= KUBE_NODES; i++)); do
    linked "node$i"
    ip addr add "10.213.$i.1/24" dev "node$i"
    ip link set "node$i" up
    ip route add "10.244.$i.0/24" via "$(node_address "$i")"
  done
fi
for setting in ipv4/ip_forward bridge/bridge-nf-call-iptables ipv4/conf/all/route_localnet; do
  echo 1 >"/proc/sys/net/$setting"
done

# daemon NAME COMMAND...: its log and its process, as this node counts it, are NAME.log and NAME.pid.
daemon() {
  "${@:2}" >"$home/$1.log" 2>&1 </dev/null &
  echo $! >"$home/$1.pid"
}

if ((index == 1)); then
  # Without fsync: this database is thrown away.
  daemon etcd etcd --data-dir "$home/etcd" --unsafe-no-fsync --log-level warn
  daemon kube-apiserver kube-apiserver \
    --etcd-servers http://127.0.0.1:2379 --advertise-address "$address" --secure-port 6443 \
    --service-cluster-ip-range 10.96.0.0/16 \
    --authorization-mode Node,RBAC --enable-admission-plugins NodeRestriction \
    --client-ca-file "$pki/ca.crt" --tls-cert-file "$pki/server.crt" --tls-private-key-file "$pki/server.key" \
    --service-account-issuer https://kubernetes.default.svc.cluster.local \
    --service-account-signing-key-file "$pki/accounts.key" --service-account-key-file "$pki/accounts.pub" \
    --kubelet-client-certificate "$pki/admin.crt" --kubelet-client-key "$pki/admin.key" \
    --kubelet-preferred-address-types InternalIP \
    --proxy-client-cert-file "$pki/aggregator.crt" --proxy-client-key-file "$pki/aggregator.key" \
    --requestheader-client-ca-file "$pki/ca.crt" --requestheader-allowed-names aggregator \
    --requestheader-username-headers X-Remote-User --requestheader-group-headers X-Remote-Group \
    --requestheader-extra-headers-prefix X-Remote-Extra-
fi

cat >"$home/containerd.toml" <<TOML
version = 2
root = "$home/containerd"
state = "$home/containerd.run"
[grpc]
  address = "$home/containerd.sock"
[plugins."io.containerd.grpc.v1.cri"]
  sandbox_image = "svc.local/pause:1"
  # Where root lacks CAP_SYS_RESOURCE, containers could not be started otherwise.
  restrict_oom_score_adj = true
  [plugins."io.containerd.grpc.v1.cri".cni]
    bin_dir = "/usr/lib/cni"
    conf_dir = "$home/cni"
TOML
mkdir -p "$home/cni"
cat >"$home/cni/pods.conflist" <<JSON
{
  "cniVersion": "0.4.0",
  "name": "pods",
  "plugins": [{
    "type": "bridge", "bridge": "pods", "isGateway": true, "hairpinMode": true,
    "ipam": {
      "type": "host-local", "dataDir": "$home/addresses",
      "ranges": [[{ "subnet": "10.244.$index.0/24" }]], "routes": [{ "dst": "0.0.0.0/0" }]
    }
  }]
}
JSON
daemon containerd containerd --config "$home/containerd.toml"

# There is no name server outside.
echo "nameserver $machine_address" >"$home/resolv.conf"
cat >"$home/kubelet.yaml" <<YAML
apiVersion: kubelet.config.k8s.io/v1beta1
kind: KubeletConfiguration
containerRuntimeEndpoint: unix://$home/containerd.sock
cgroupDriver: cgroupfs
cgroupRoot: /svc-cluster-node$index
failCgroupV1: false
failSwapOn: false
clusterDNS: [$dns_address]
clusterDomain: cluster.local
resolvConf: $home/resolv.conf
podLogsDir: $home/logs
authentication:
  anonymous: { enabled: false }
  webhook: { enabled: true }
  x509: { clientCAFile: $pki/ca.crt }
authorization: { mode: Webhook }
nodeStatusUpdateFrequency: 2s
# A container that is killed for the tenth time starts as soon as after the first.
crashLoopBackOff: { maxContainerRestartPeriod: 1s }
# The disk is the machine's: no pod is evicted and no image deleted because of it.
evictionHard: { memory.available: 50Mi, nodefs.available: 1%, nodefs.inodesFree: 1%, imagefs.available: 1% }
imageGCHighThresholdPercent: 100
imageGCLowThresholdPercent: 99
YAML
cat >"$home/proxy.yaml" <<YAML
apiVersion: kubeproxy.config.k8s.io/v1alpha1
kind: KubeProxyConfiguration
clientConnection: { kubeconfig: $KUBE_DIR/proxy.kubeconfig }
hostnameOverride: node$index
mode: iptables
clusterCIDR: 10.244.0.0/16
# These belong to the machine too.
conntrack: { maxPerCore: 0, min: 0, tcpEstablishedTimeout: 0s, tcpCloseWaitTimeout: 0s }
YAML

# The controllers end when the API server does not know them yet, as it does once it is ready.
until [[ -S $home/containerd.sock ]] && kubectl get --raw /readyz >/dev/null 2>&1; do sleep 0.1; done
if ((index == 1)); then
  # The autoscaler looks every 5 s instead of 15, and counts a new pod sooner: a test waits for it.
  daemon kube-controller-manager kube-controller-manager --kubeconfig "$KUBE_DIR/controller-manager.kubeconfig" \
    --leader-elect=false --use-service-account-credentials \
    --service-account-private-key-file "$pki/accounts.key" --root-ca-file "$pki/ca.crt" \
    --horizontal-pod-autoscaler-sync-period 5s --horizontal-pod-autoscaler-initial-readiness-delay 5s \
    --horizontal-pod-autoscaler-cpu-initialization-period 10s
  daemon kube-scheduler kube-scheduler --kubeconfig "$KUBE_DIR/scheduler.kubeconfig" --leader-elect=false
fi
daemon kubelet kubelet --config "$home/kubelet.yaml" --kubeconfig "$KUBE_DIR/node$index.kubeconfig" \
  --root-dir "$home/kubelet" --cert-dir "$home/kubelet.pki" --hostname-override "node$index" --node-ip "$address"
daemon kube-proxy kube-proxy --config "$home/proxy.yaml"
daemon policies "$NODE" "$cluster_dir/policies.ts" "$api_server" "$pki" "node$index"
if ((index == 1)); then daemon usage "$NODE" "$cluster_dir/usage.ts" "$api_server" "$pki"; fi

# As the first process it reaps those that lose their parent.
while true; do
  sleep 3600 &
  wait $! || true
done
