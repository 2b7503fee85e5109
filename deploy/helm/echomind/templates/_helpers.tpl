{{- define "echomind.labels" -}}
app.kubernetes.io/name: echomind
app.kubernetes.io/instance: {{ .root.Release.Name }}
app.kubernetes.io/component: {{ .component }}
{{- end }}

{{- define "echomind.metadataLabels" -}}
{{ include "echomind.labels" . }}
app.kubernetes.io/version: {{ .root.Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .root.Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .root.Chart.Name .root.Chart.Version }}
{{- end }}

{{- define "echomind.image" -}}
{{- $tag := .root.Values.image.tag | default .root.Chart.AppVersion -}}
{{- with .root.Values.image.registry }}{{ . }}/{{ end }}echomind-{{ .component }}:{{ $tag }}
{{- end }}

{{- define "echomind.secretName" -}}
{{ required "Set secrets.name to the name of a Secret with the credentials: docs/guide/kubernetes.md shows how to create it." .Values.secrets.name }}
{{- end }}

{{- define "echomind.secret" -}}
{{- if .key }}
- name: {{ .variable }}
  valueFrom:
    secretKeyRef:
      name: {{ include "echomind.secretName" .root }}
      key: {{ .key }}
{{- end }}
{{- end }}

{{- define "echomind.postgres" -}}
{{- $url := required "Set secrets.postgresUrl to the key of the Secret with PostgreSQL's URL." .root.Values.secrets.postgresUrl -}}
{{ include "echomind.secret" (dict "root" .root "variable" "ECHOMIND_POSTGRES__URL" "key" $url) }}
{{- end }}

{{- define "echomind.environment" -}}
{{ include "echomind.postgres" . }}
{{- $secrets := .root.Values.secrets }}
{{- range $variable, $key := dict
      "ECHOMIND_NATS__URL" (required "Set secrets.natsUrl to the key of the Secret with NATS' URL." $secrets.natsUrl)
      "ECHOMIND_QDRANT__API_KEY" $secrets.qdrantApiKey
      "ECHOMIND_S3__ACCESS_KEY" $secrets.s3AccessKey
      "ECHOMIND_S3__SECRET_KEY" $secrets.s3SecretKey
      "ECHOMIND_EMBEDDING__API_KEY" (required "Set secrets.embeddingApiKey to the key of the Secret with the embedding process's key." $secrets.embeddingApiKey)
      "ECHOMIND_SECRETS__KEYS" (required "Set secrets.secretKeys to the key of the Secret with the keys that encrypt stored secrets." $secrets.secretKeys) }}
{{- include "echomind.secret" (dict "root" $.root "variable" $variable "key" $key) }}
{{- end }}
- name: ECHOMIND_NATS__REPLICAS
  value: {{ .root.Values.nats.replicas | quote }}
- name: ECHOMIND_QDRANT__URL
  value: {{ required "Set qdrant.url to the address of Qdrant's gRPC port." .root.Values.qdrant.url | quote }}
- name: ECHOMIND_S3__ENDPOINT
  value: {{ required "Set s3.endpoint to the address of the object store." .root.Values.s3.endpoint | quote }}
- name: ECHOMIND_S3__BUCKET
  value: {{ .root.Values.s3.bucket | quote }}
- name: ECHOMIND_S3__REGION
  value: {{ .root.Values.s3.region | quote }}
- name: ECHOMIND_EMBEDDING__URL
  value: {{ printf "%s-embedding:50061" .root.Release.Name | quote }}
- name: ECHOMIND_POSTGRES__SCHEMA_WAIT_SECONDS
  value: {{ .root.Values.migrations.waitSeconds | quote }}
{{- end }}

{{- /* Whole numbers of a file of values are floating-point ones here, which would be written as 1e+06. */ -}}
{{- define "echomind.settings" -}}
{{- range $variable, $value := merge (dict) .values.settings .root.Values.settings }}
{{- if kindIs "float64" $value }}{{ if eq $value (floor $value) }}{{ $value = int64 $value }}{{ end }}{{ end }}
- name: {{ $variable }}
  value: {{ $value | quote }}
{{- end }}
{{- /* Each process refuses settings without the secrets that they need. */ -}}
{{- range $variable, $key := .root.Values.secrets.settings }}
{{- include "echomind.secret" (dict "root" $.root "variable" $variable "key" $key) }}
{{- end }}
{{- end }}

{{- define "echomind.certificates" -}}
{{- with .Values.certificates }}
{{- if .configMap }}
- name: SSL_CERT_FILE
  value: {{ printf "/etc/echomind/certificates/%s" .key | quote }}
{{- end }}
{{- end }}
{{- end }}

{{- define "echomind.certificatesMount" -}}
{{- if .Values.certificates.configMap }}
- { name: certificates, mountPath: /etc/echomind/certificates, readOnly: true }
{{- end }}
{{- end }}

{{- define "echomind.certificatesVolume" -}}
{{- with .Values.certificates.configMap }}
- { name: certificates, configMap: { name: {{ . | quote }} } }
{{- end }}
{{- end }}

{{- define "echomind.containerSecurity" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities:
  drop: [ALL]
{{- end }}

{{- define "echomind.podSecurity" -}}
runAsNonRoot: true
runAsUser: 10001
runAsGroup: 10001
fsGroup: 10001
seccompProfile:
  type: RuntimeDefault
{{- end }}
