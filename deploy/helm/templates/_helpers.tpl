{{- define "svc.name" -}}
{{- default .Chart.Name .Values.nameOverride | trunc 40 | trimSuffix "-" }}
{{- end }}

{{- define "svc.fullname" -}}
{{- if .Values.fullnameOverride }}
{{- .Values.fullnameOverride | trunc 40 | trimSuffix "-" }}
{{- else }}
{{- $name := default .Chart.Name .Values.nameOverride }}
{{- if contains $name .Release.Name }}
{{- .Release.Name | trunc 40 | trimSuffix "-" }}
{{- else }}
{{- printf "%s-%s" .Release.Name $name | trunc 40 | trimSuffix "-" }}
{{- end }}
{{- end }}
{{- end }}

{{- /* Labels by which pods are found: list ROOT COMPONENT. */}}
{{- define "svc.selectorLabels" -}}
{{- $root := index . 0 -}}
app.kubernetes.io/name: {{ include "svc.name" $root | quote }}
app.kubernetes.io/instance: {{ $root.Release.Name | quote }}
app.kubernetes.io/component: {{ index . 1 }}
{{- end }}

{{- /* Labels of objects: list ROOT COMPONENT. */}}
{{- define "svc.labels" -}}
{{- $root := index . 0 -}}
{{ include "svc.selectorLabels" . }}
app.kubernetes.io/part-of: {{ include "svc.name" $root | quote }}
app.kubernetes.io/version: {{ $root.Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ $root.Release.Service }}
helm.sh/chart: {{ printf "%s-%s" $root.Chart.Name $root.Chart.Version | replace "+" "_" }}
{{- end }}

{{- /* Name, namespace and labels of an object: list ROOT COMPONENT [NAME]. */}}
{{- define "svc.metadata" -}}
{{- $root := index . 0 -}}
{{- $name := printf "%s-%s" (include "svc.fullname" $root) (index . 1) -}}
name: {{ gt (len .) 2 | ternary (last .) $name | quote }}
namespace: {{ $root.Release.Namespace | quote }}
labels:
  {{- include "svc.labels" (list $root (index . 1)) | nindent 2 }}
{{- end }}

{{- /* list ROOT COMPONENT */}}
{{- define "svc.serviceAccountName" -}}
{{- $root := index . 0 -}}
{{- $account := (index $root.Values (index . 1)).serviceAccount -}}
{{- if $account.create -}}
{{- $account.name | default (printf "%s-%s" (include "svc.fullname" $root) (index . 1)) }}
{{- else -}}
{{- $account.name | default "default" }}
{{- end }}
{{- end }}

{{- /* list ROOT COMPONENT */}}
{{- define "svc.image" -}}
{{- $root := index . 0 -}}
{{- $image := (index $root.Values (index . 1)).image -}}
{{- if $root.Values.image.registry }}{{ trimSuffix "/" $root.Values.image.registry }}/{{ end -}}
{{ $image.repository }}
{{- if $image.digest }}@{{ $image.digest }}
{{- else }}:{{ $image.tag | default $root.Values.image.tag | default $root.Chart.AppVersion }}
{{- end }}
{{- end }}

{{- /* A quantity as a plain number: list QUANTITY KEY. */}}
{{- define "svc.amount" -}}
{{- $quantity := index . 0 -}}
{{- if not (kindIs "string" $quantity) }}{{ $quantity }}
{{- else -}}
{{- if not (regexMatch "^[0-9]+(\\.[0-9]+)?(m|k|M|G|T|Ki|Mi|Gi|Ti)?$" $quantity) -}}
{{- fail (printf "%s must be a quantity such as 512Mi" (index . 1)) -}}
{{- end -}}
{{- $units := dict "" 1 "m" 0.001 "k" 1000 "M" 1000000 "G" 1000000000 "T" 1000000000000 "Ki" 1024 "Mi" 1048576 "Gi" 1073741824 "Ti" 1099511627776 -}}
{{- mulf (float64 (regexFind "^[0-9.]+" $quantity)) (index $units (regexFind "[A-Za-z]+$" $quantity)) -}}
{{- end -}}
{{- end }}

{{- /* The heap of Node.js in MiB, 75 % of a memory limit: list LIMIT KEY. Nothing without a limit. */}}
{{- define "svc.heapMiB" -}}
{{- if not (kindIs "invalid" (index . 0)) -}}
{{- divf (mulf (include "svc.amount" . | float64) 0.75) 1048576 | floor | int -}}
{{- end -}}
{{- end }}

{{- /* Refuses limits below the requests: list ROOT COMPONENT. */}}
{{- define "svc.checkResources" -}}
{{- $resources := (index (index . 0).Values (index . 1)).resources | default dict -}}
{{- $component := index . 1 -}}
{{- range list "cpu" "memory" -}}
{{- $request := dig "requests" . nil $resources -}}
{{- $limit := dig "limits" . nil $resources -}}
{{- $requestKey := printf "%s.resources.requests.%s" $component . -}}
{{- $limitKey := printf "%s.resources.limits.%s" $component . -}}
{{- if not (or (kindIs "invalid" $request) (kindIs "invalid" $limit)) -}}
{{- if lt (include "svc.amount" (list $limit $limitKey) | float64) (include "svc.amount" (list $request $requestKey) | float64) -}}
{{- fail (printf "%s must be at least %s (%v)" $limitKey $requestKey $request) -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- end }}

{{- /* The settings: those of the values, over what follows from the names of this release. As YAML. */}}
{{- define "svc.config" -}}
{{- $fullname := include "svc.fullname" . -}}
{{- $given := deepCopy .Values.config -}}
{{- $own := dict -}}
{{- range $service := list "auth" "resource" -}}
{{- if (index $given $service).address -}}
{{- fail (printf "config.%s.address must be left out: the chart sets that of this release" $service) -}}
{{- end -}}
{{- $_ := set $own $service (dict "address" (printf "dns:///%s-%s:%s" $fullname $service (include "svc.port" (list $ $service)))) -}}
{{- end -}}
{{- if include "svc.hasBootstrap" . -}}
{{- $_ := set $own "authentication" (dict "methods" (dict "token" (dict "bootstrap" (dict "log" false)))) -}}
{{- end -}}
{{- $config := mergeOverwrite $own $given -}}
{{- if .Values.example.enabled -}}
{{- $orchestrator := dig "authentication" "methods" "orchestrator" dict $config -}}
{{- if not (include "svc.isOn" (list . "orchestrator")) -}}
{{- fail "example.enabled needs config.authentication.methods.orchestrator.enabled" -}}
{{- end -}}
{{- if not $orchestrator.audience }}{{ fail "example.enabled needs config.authentication.methods.orchestrator.audience" }}{{ end -}}
{{- $accounts := $orchestrator.service_accounts | default list -}}
{{- if kindIs "string" $accounts }}{{ $accounts = regexSplit "[\\s,]+" (trim $accounts) -1 }}{{ end -}}
{{- $account := printf "%s:%s-example" .Release.Namespace $fullname -}}
{{- $_ := set $orchestrator "service_accounts" (append $accounts $account | uniq) -}}
{{- end -}}
{{- toYaml $config }}
{{- end }}

{{- /* The settings that a service reads, so that a change of others does not roll it: list ROOT SERVICE. As YAML. */}}
{{- define "svc.configOf" -}}
{{- $config := include "svc.config" (index . 0) | fromYaml -}}
{{- $others := dict "gateway" (list "changes" "db" "seed") "auth" (list "cors" "seed" "ui") "resource" (list "cache" "cors" "ui" "authentication") -}}
{{- range index $others (index . 1) }}{{ $_ := unset $config . }}{{ end -}}
{{- if eq (index . 1) "gateway" -}}
{{- $authentication := $config.authentication | default dict -}}
{{- $methods := dict -}}
{{- range $name, $method := $authentication.methods -}}
{{- if hasKey $method "enabled" }}{{ $_ := set $methods $name (pick $method "enabled") }}{{ end -}}
{{- end -}}
{{- $_ := unset $authentication "methods" -}}
{{- if $methods }}{{ $_ := set $authentication "methods" $methods }}{{ end -}}
{{- if not $authentication }}{{ $_ := unset $config "authentication" }}{{ end -}}
{{- end -}}
{{- toYaml $config }}
{{- end }}

{{- /* Of the ConfigMap with them. Its content never changes: other settings have another name: list ROOT SERVICE. */}}
{{- define "svc.configName" -}}
{{- printf "%s-config-%s-%s" (include "svc.fullname" (index . 0)) (index . 1) (include "svc.configOf" . | sha256sum | trunc 8) }}
{{- end }}

{{- /* "true" when an auth method is on: list ROOT METHOD. */}}
{{- define "svc.isOn" -}}
{{- $fallback := eq (index . 1) "token" -}}
{{- $value := dig "authentication" "methods" (index . 1) "enabled" $fallback (index . 0).Values.config -}}
{{- if eq ($value | toString) "true" }}true{{ end }}
{{- end }}

{{- /* "true" when the chart gives auth the first token. */}}
{{- define "svc.hasBootstrap" -}}
{{- include "svc.isOn" (list . "token") }}
{{- end }}

{{- /* Seconds of a duration such as 1m30s. Nothing when it is in a variable. */}}
{{- define "svc.seconds" -}}
{{- $units := dict "h" 3600.0 "m" 60.0 "s" 1.0 "ms" 0.001 "us" 0.000001 "µs" 0.000001 "ns" 0.000000001 -}}
{{- if not (hasPrefix "$" (. | trim)) -}}
{{- $seconds := 0.0 -}}
{{- range regexFindAll "[0-9.]+(h|ms|m|us|µs|ns|s)" . -1 -}}
{{- $seconds = addf $seconds (mulf (float64 (regexFind "^[0-9.]+" .)) (index $units (regexFind "[a-zµ]+$" .))) -}}
{{- end -}}
{{- $seconds }}
{{- end -}}
{{- end }}

{{- define "svc.ipFamilies" -}}
{{- with .Values.ipFamilyPolicy }}
ipFamilyPolicy: {{ . }}
{{- end }}
{{- with .Values.ipFamilies }}
ipFamilies:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end }}
