{{- define "svc.migration" -}}
{{- $root := index . 0 -}}
{{- $own := $root.Values.migrate -}}
backoffLimit: {{ $own.backoffLimit }}
{{- if not (kindIs "invalid" $own.ttlSecondsAfterFinished) }}
ttlSecondsAfterFinished: {{ $own.ttlSecondsAfterFinished }}
{{- end }}
template:
  metadata:
    labels:
      {{- include "svc.podLabels" . | nindent 6 }}
    {{- with $own.podAnnotations }}
    annotations:
      {{- toYaml . | nindent 6 }}
    {{- end }}
  spec:
    {{- include "svc.podSettings" . | nindent 4 }}
    # A try that failed stays, with its log.
    restartPolicy: Never
    containers:
      - name: migrate
        {{- include "svc.container" . | nindent 8 }}
        command:
          - sh
          - -ec
          - |
            migrate() {
              export SVC_DB_URL_FILE="/run/secrets/svc/db.url.$1"
              {{- if $root.Values.db.direct }}
              export SVC_DB_DIRECT_URL_FILE="/run/secrets/svc/db.direct_url.$1"
              {{- end }}
              svc-migrate "$1"
            }
            migrate auth
            migrate resource
        env:
          {{- include "svc.env" (append . (include "svc.secretEnv" .)) | nindent 10 }}
        volumeMounts:
          - name: secrets
            mountPath: /run/secrets/svc
            readOnly: true
          {{- with $own.extraVolumeMounts }}
          {{- toYaml . | nindent 10 }}
          {{- end }}
    volumes:
      - {{ include "svc.secretVolume" . | nindent 8 | trim }}
      {{- with $own.extraVolumes }}
      {{- toYaml . | nindent 6 }}
      {{- end }}
{{- end }}
