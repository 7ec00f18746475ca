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

{{- /* A rule of egress to a service: list ROOT COMPONENT. */}}
{{- define "svc.egressToService" -}}
- to:
    - podSelector:
        matchLabels:
          {{- include "svc.selectorLabels" . | nindent 10 }}
  ports:
    - protocol: TCP
      port: grpc
{{- end }}
