{{- /*
What is outside the cluster, as a list of NetworkPolicyPeer, and before it pods of this namespace if asked for:
list ROOT WITH_PODS.
*/}}
{{- define "svc.outside" -}}
{{- $ranges := (index . 0).Values.networkPolicy.clusterCIDRs -}}
{{- if index . 1 }}
- podSelector: {}
{{- end }}
{{- range $all, $linkLocal := dict "0.0.0.0/0" "169.254.0.0/16" "::/0" "fe80::/10" }}
- ipBlock:
    cidr: {{ $all }}
    except:
      {{- range $ranges }}
      {{- if eq (contains ":" .) (contains ":" $all) }}
      - {{ . }}
      {{- end }}
      {{- end }}
      - {{ $linkLocal }}
{{- end }}
{{- end }}

{{- define "svc.tcpPorts" -}}
ports:
  {{- range . }}
  - protocol: TCP
    port: {{ . }}
  {{- end }}
{{- end }}

{{- /* A rule of egress: list ROOT PEER DEFAULT. */}}
{{- define "svc.egressTo" -}}
{{- $peer := index (index . 0).Values.networkPolicy (index . 1) -}}
- {{ include "svc.tcpPorts" $peer.ports | nindent 2 | trim }}
  {{- with $peer.to | default (index . 2 | fromYamlArray) }}
  to:
    {{- toYaml . | nindent 4 }}
  {{- end }}
{{- end }}

{{- define "svc.egressToDns" -}}
- to:
    {{- toYaml .Values.networkPolicy.dns.to | nindent 4 }}
  ports:
    {{- range .Values.networkPolicy.dns.ports }}
    - protocol: UDP
      port: {{ . }}
    - protocol: TCP
      port: {{ . }}
    {{- end }}
{{- end }}

{{- /*
The port of a component that the gateway or, of the gateway, clients call: list ROOT COMPONENT. Policies have its
number, as not all network plugins read names alike: Cilium dropped a rule of egress whose name had two numbers in the
cluster (cilium/cilium#30003), and OVN-Kubernetes takes a name for every port (ovn-kubernetes/ovn-kubernetes#2117).
*/}}
{{- define "svc.port" -}}
{{- $config := (index . 0).Values.config -}}
{{- if eq (index . 1) "gateway" -}}
{{- $config.server.http_port | default 8080 | int }}
{{- else -}}
{{- regexFind "[0-9]+$" (index $config (index . 1)).listen }}
{{- end -}}
{{- end }}

{{- /* A rule of egress to a service: list ROOT COMPONENT. */}}
{{- define "svc.egressToService" -}}
- to:
    - podSelector:
        matchLabels:
          {{- include "svc.selectorLabels" . | nindent 10 }}
  ports:
    - protocol: TCP
      port: {{ include "svc.port" . }}
{{- end }}
