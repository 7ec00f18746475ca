{{- /* Where a pod may run, and as what: list ROOT COMPONENT. */}}
{{- define "svc.podSettings" -}}
{{- $root := index . 0 -}}
{{- $own := index $root.Values (index . 1) -}}
serviceAccountName: {{ include "svc.serviceAccountName" . | quote }}
automountServiceAccountToken: false
# The variables of Services would look like settings.
enableServiceLinks: false
{{- with $root.Values.imagePullSecrets }}
imagePullSecrets:
  {{- toYaml . | nindent 2 }}
{{- end }}
securityContext:
  {{- toYaml $root.Values.podSecurityContext | nindent 2 }}
{{- with $own.priorityClassName }}
priorityClassName: {{ . | quote }}
{{- end }}
{{- with $own.nodeSelector }}
nodeSelector:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with $own.tolerations }}
tolerations:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with $own.affinity }}
affinity:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end }}

{{- /* Image, rights and resources of a container: list ROOT COMPONENT. */}}
{{- define "svc.container" -}}
{{- $root := index . 0 -}}
{{- $component := index . 1 -}}
{{- $own := index $root.Values $component -}}
{{- $_ := include "svc.checkResources" . -}}
image: {{ include "svc.image" . }}
imagePullPolicy: {{ $root.Values.image.pullPolicy }}
securityContext:
  {{- toYaml $root.Values.securityContext | nindent 2 }}
{{- with $own.resources }}
resources:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end }}

{{- /* The option by which Node.js keeps its heap within the memory limit: list ROOT COMPONENT. */}}
{{- define "svc.heapEnv" -}}
{{- $resources := (index (index . 0).Values (index . 1)).resources | default dict -}}
{{- $limit := dig "limits" "memory" nil $resources -}}
{{- with include "svc.heapMiB" (list $limit (printf "%s.resources.limits.memory" (index . 1))) }}
- name: NODE_OPTIONS
  value: --max-old-space-size={{ . }}
{{- end }}
{{- end }}

{{- /*
The variables of a container: the chart's own, of which extraEnv may replace each, then those of extraEnv. Options for
Node.js keep the heap within the limit, unless they set it: list ROOT COMPONENT OWN, the last as YAML.
*/}}
{{- define "svc.env" -}}
{{- $extra := (index (index . 0).Values (index . 1)).extraEnv | default list -}}
{{- $own := printf "%s\n%s" (index . 2) (include "svc.heapEnv" .) | fromYamlArray -}}
{{- $options := "" -}}
{{- $replaced := list -}}
{{- range $extra }}{{ $replaced = append $replaced .name }}{{ end -}}
{{- $env := list -}}
{{- range $own -}}
{{- if eq .name "NODE_OPTIONS" }}{{ $options = .value }}{{ end -}}
{{- if not (has .name $replaced) }}{{ $env = append $env . }}{{ end -}}
{{- end -}}
{{- range $extra -}}
{{- if and (eq .name "NODE_OPTIONS") (hasKey . "value") -}}
{{- $env = append $env (dict "name" .name "value" (printf "%s %s" $options .value | trim)) -}}
{{- else -}}
{{- $env = append $env . -}}
{{- end -}}
{{- end -}}
{{- toYaml $env }}
{{- end }}

{{- /* The chart's own variables of a service: list ROOT SERVICE. The image sets those of metrics, before the file. */}}
{{- define "svc.serviceEnv" -}}
{{- $metrics := (index . 0).Values.config.metrics -}}
- name: SVC_CONFIG
  value: /etc/svc/config.yml
- name: SVC_METRICS_HOST
  value: {{ $metrics.host | quote }}
- name: SVC_METRICS_PORT
  value: {{ $metrics.port | int | quote }}
{{- include "svc.secretEnv" . }}
{{- end }}

{{- define "svc.podLabels" -}}
{{- $root := index . 0 -}}
{{ include "svc.selectorLabels" . }}
app.kubernetes.io/version: {{ $root.Chart.AppVersion | quote }}
{{- with (index $root.Values (index . 1)).podLabels }}
{{ toYaml . }}
{{- end }}
{{- end }}

{{- /*
How many pods the Deployment asks for: list ROOT COMPONENT. With autoscaling that is left to the autoscaler, except
where a number was given before: to leave it out then would be to ask for one, until the autoscaler looks again.
*/}}
{{- define "svc.replicas" -}}
{{- $root := index . 0 -}}
{{- $own := index $root.Values (index . 1) -}}
{{- if not $own.autoscaling.enabled -}}
{{- $own.replicaCount }}
{{- else -}}
{{- $name := printf "%s-%s" (include "svc.fullname" $root) (index . 1) -}}
{{- $live := lookup "apps/v1" "Deployment" $root.Release.Namespace $name -}}
{{- if dig "metadata" "annotations" "svc-replicas" "" $live -}}
{{- max $own.autoscaling.minReplicas $live.spec.replicas }}
{{- end -}}
{{- end -}}
{{- end }}

{{- /* Refuses a grace period that is too short for the drain: ROOT. */}}
{{- define "svc.checkGrace" -}}
{{- with include "svc.seconds" (dig "server" "drain" "5s" .Values.config) -}}
{{- $least := addf (float64 .) 25 | ceil | int -}}
{{- if lt ($.Values.terminationGracePeriodSeconds | int) $least -}}
{{- fail (printf "terminationGracePeriodSeconds must be at least %d, config.server.drain and 25 s" $least) -}}
{{- end -}}
{{- end -}}
{{- end }}

{{- define "svc.deployment" -}}
{{- $root := index . 0 -}}
{{- $component := index . 1 -}}
{{- $own := index $root.Values $component -}}
{{- $settings := $root.Values.config -}}
{{- $_ := include "svc.checkGrace" $root -}}
{{- $replicas := include "svc.replicas" . -}}
{{- $reviewsTokens := and (eq $component "auth") (include "svc.isOn" (list $root "orchestrator")) -}}
apiVersion: apps/v1
kind: Deployment
metadata:
  {{- include "svc.metadata" . | nindent 2 }}
  {{- if $replicas }}
  annotations:
    svc-replicas: given
  {{- end }}
spec:
  {{- with $replicas }}
  replicas: {{ . }}
  {{- end }}
  revisionHistoryLimit: 3
  minReadySeconds: {{ $own.minReadySeconds }}
  strategy:
    type: RollingUpdate
    rollingUpdate:
      maxUnavailable: 0
      maxSurge: 1
  selector:
    matchLabels:
      {{- include "svc.selectorLabels" . | nindent 6 }}
  template:
    metadata:
      labels:
        {{- include "svc.podLabels" . | nindent 8 }}
      {{- with $own.podAnnotations }}
      annotations:
        {{- toYaml . | nindent 8 }}
      {{- end }}
    spec:
      {{- include "svc.podSettings" . | nindent 6 }}
      terminationGracePeriodSeconds: {{ $root.Values.terminationGracePeriodSeconds }}
      topologySpreadConstraints:
        {{- if $own.topologySpreadConstraints }}
        {{- toYaml $own.topologySpreadConstraints | nindent 8 }}
        {{- else }}
        {{- range list "kubernetes.io/hostname" "topology.kubernetes.io/zone" }}
        - topologyKey: {{ . }}
          maxSkew: 1
          whenUnsatisfiable: ScheduleAnyway
          labelSelector:
            matchLabels:
              {{- include "svc.selectorLabels" (list $root $component) | nindent 14 }}
          matchLabelKeys:
            - pod-template-hash
        {{- end }}
        {{- end }}
      containers:
        - name: {{ $component }}
          {{- include "svc.container" . | nindent 10 }}
          env:
            {{- include "svc.env" (append . (include "svc.serviceEnv" .)) | nindent 12 }}
          ports:
            - name: {{ eq $component "gateway" | ternary "http" "grpc" }}
              containerPort: {{ include "svc.port" . }}
            - name: metrics
              containerPort: {{ $settings.metrics.port | int }}
          startupProbe:
            httpGet:
              path: /healthz
              port: metrics
            {{- toYaml $root.Values.startupProbe | nindent 12 }}
          readinessProbe:
            httpGet:
              path: /readyz
              port: metrics
            {{- toYaml $root.Values.readinessProbe | nindent 12 }}
          livenessProbe:
            httpGet:
              path: /healthz
              port: metrics
            {{- toYaml $root.Values.livenessProbe | nindent 12 }}
          volumeMounts:
            - name: config
              mountPath: /etc/svc
              readOnly: true
            - name: secrets
              mountPath: /run/secrets/svc
              readOnly: true
            {{- if $reviewsTokens }}
            - name: api-server
              mountPath: /var/run/secrets/kubernetes.io/serviceaccount
              readOnly: true
            {{- end }}
            {{- with $own.extraVolumeMounts }}
            {{- toYaml . | nindent 12 }}
            {{- end }}
      volumes:
        - name: config
          configMap:
            name: {{ include "svc.configName" . }}
        - {{ include "svc.secretVolume" . | nindent 10 | trim }}
        {{- if $reviewsTokens }}
        # By which auth asks the API server whose a token is.
        - name: api-server
          projected:
            sources:
              - serviceAccountToken:
                  path: token
                  expirationSeconds: 3607
              - configMap:
                  name: kube-root-ca.crt
                  items:
                    - key: ca.crt
                      path: ca.crt
        {{- end }}
        {{- with $own.extraVolumes }}
        {{- toYaml . | nindent 8 }}
        {{- end }}
{{- end }}
