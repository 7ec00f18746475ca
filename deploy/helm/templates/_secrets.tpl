{{- /* The name of a Secret, named or made: list ROOT PART. */}}
{{- define "svc.secretName" -}}
{{- (index (index . 0).Values (index . 1)).existingSecret | default (include "svc.madeSecretName" .) }}
{{- end }}

{{- /* The name of a Secret when it is made: list ROOT PART. */}}
{{- define "svc.madeSecretName" -}}
{{- printf "%s-%s" (include "svc.fullname" (index . 0)) (index . 1) }}
{{- end }}

{{- /* "true" when a Secret of the cluster is one that this release has made: list ROOT PART SECRET. */}}
{{- define "svc.isMadeSecret" -}}
{{- $release := (index . 0).Release -}}
{{- $metadata := dig "metadata" dict (index . 2) -}}
{{- $ofName := dig "annotations" "meta.helm.sh/release-name" "" $metadata | eq $release.Name -}}
{{- $ofNamespace := dig "annotations" "meta.helm.sh/release-namespace" "" $metadata | eq $release.Namespace -}}
{{- $ofPart := dig "labels" "app.kubernetes.io/component" "" $metadata | eq (index . 1) -}}
{{- if and $ofName $ofNamespace $ofPart }}true{{ end }}
{{- end }}

{{- define "svc.ownerSecret" -}}
{{- required "db.existingSecret is required: the name of a Secret whose key url is the URL of a PostgreSQL database" .Values.db.existingSecret }}
{{- end }}

{{- /* The Secret with the URL of the database for a service: list ROOT SERVICE. */}}
{{- define "svc.dbSecret" -}}
{{- $owner := include "svc.ownerSecret" (index . 0) -}}
{{- (index (index . 0).Values.db (index . 1)).existingSecret | default $owner }}
{{- end }}

{{- /*
What a pod reads from Secrets, as a list in YAML: the setting, where it is, and the file of it. Each service is
given what it needs alone: list ROOT COMPONENT.
*/}}
{{- define "svc.secretFiles" -}}
{{- $root := index . 0 -}}
{{- $component := index . 1 -}}
{{- $values := $root.Values -}}
{{- $files := list -}}
{{- $internal := include "svc.secretName" (list $root "internal") -}}
{{- $isService := ne $component "migrate" -}}
{{- $isKeeper := has $component (list "auth" "resource") -}}
{{- if $isService -}}
{{- $files = append $files (dict "setting" "internal.secret" "secret" $internal "key" "secret") -}}
{{- else -}}
{{- $files = append $files (dict "setting" "db.owner_url" "secret" (include "svc.ownerSecret" $root) "key" (ternary "direct_url" "url" $values.db.direct)) -}}
{{- range $service := list "auth" "resource" -}}
{{- $files = append $files (dict "setting" "db.url" "secret" (include "svc.dbSecret" (list $root $service)) "key" "url" "file" (printf "db.url.%s" $service)) -}}
{{- if $values.db.direct -}}
{{- $files = append $files (dict "setting" "db.direct_url" "secret" (include "svc.dbSecret" (list $root $service)) "key" "direct_url" "file" (printf "db.direct_url.%s" $service)) -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- if $isKeeper -}}
{{- $files = append $files (dict "setting" "internal.assertion_key" "secret" $internal "key" "assertion_key") -}}
{{- $files = append $files (dict "setting" "changes.key" "secret" (include "svc.secretName" (list $root "changes")) "key" "key") -}}
{{- $files = append $files (dict "setting" "db.url" "secret" (include "svc.dbSecret" (list $root $component)) "key" "url") -}}
{{- if $values.db.direct -}}
{{- $files = append $files (dict "setting" "db.direct_url" "secret" (include "svc.dbSecret" (list $root $component)) "key" "direct_url") -}}
{{- end -}}
{{- end -}}
{{- if eq $component "auth" -}}
{{- with $values.redis.existingSecret -}}
{{- $files = append $files (dict "setting" "cache.redis.url" "secret" . "key" "url") -}}
{{- end -}}
{{- if include "svc.hasBootstrap" $root -}}
{{- $files = append $files (dict "setting" "authentication.methods.token.bootstrap.token" "secret" (include "svc.secretName" (list $root "bootstrap")) "key" "token") -}}
{{- end -}}
{{- end -}}
{{- range $values.secretSettings -}}
{{- $isOfAuth := hasPrefix "authentication." .setting -}}
{{- $isOfKeepers := or (hasPrefix "changes." .setting) (eq .setting "internal.previous_assertion_key") -}}
{{- if or (and $isOfAuth (eq $component "auth")) (and $isOfKeepers $isKeeper) (and $isService (not $isOfAuth) (not $isOfKeepers)) -}}
{{- $files = append $files (dict "setting" .setting "secret" .existingSecret "key" .key) -}}
{{- end -}}
{{- end -}}
{{- $files | toYaml }}
{{- end }}

{{- /*
The variable of a setting: list ROOT SETTING. With `_` for `-`, which shells hand on, unless it would then be that of
another section in `config`, such as of `my_team` beside `my-team`.
*/}}
{{- define "svc.variableOf" -}}
{{- $plain := index . 1 | replace "-" "_" -}}
{{- $other := (index . 0).Values.config -}}
{{- range splitList "." $plain | initial }}{{ $other = get ($other | default dict) . }}{{ end -}}
SVC_{{ $other | empty | ternary $plain (index . 1) | replace "." "_" | upper }}
{{- end }}

{{- /* The variables that name these files: list ROOT COMPONENT. */}}
{{- define "svc.secretEnv" -}}
{{- $root := index . 0 -}}
{{- range include "svc.secretFiles" . | fromYamlArray }}
{{- if not .file }}
- name: {{ include "svc.variableOf" (list $root .setting) }}_FILE
  value: /run/secrets/svc/{{ .setting }}
{{- end }}
{{- end }}
{{- end }}

{{- /* The volume with these files: list ROOT COMPONENT. */}}
{{- define "svc.secretVolume" -}}
name: secrets
projected:
  defaultMode: 0440
  sources:
    {{- range include "svc.secretFiles" . | fromYamlArray }}
    - secret:
        name: {{ .secret | quote }}
        items:
          - key: {{ .key | quote }}
            path: {{ .file | default .setting | quote }}
    {{- end }}
{{- end }}
