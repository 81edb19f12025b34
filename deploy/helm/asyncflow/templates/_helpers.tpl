{{- define "asyncflow.name" -}}
{{- if contains "asyncflow" .Release.Name }}{{ .Release.Name | trunc 40 | trimSuffix "-" }}{{ else }}{{ printf "%s-asyncflow" .Release.Name | trunc 40 | trimSuffix "-" }}{{ end }}
{{- end }}

{{- define "asyncflow.server" -}}
{{ include "asyncflow.name" . }}-server
{{- end }}

{{/* What a Service, a budget and a policy find pods by: never changes. */}}
{{- define "asyncflow.selector" -}}
app.kubernetes.io/name: asyncflow
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "asyncflow.labels" -}}
{{ include "asyncflow.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ .Chart.Name }}-{{ .Chart.Version }}
{{- end }}

{{- define "asyncflow.scheme" -}}
{{ if .Values.tls.secret }}https{{ else }}http{{ end }}
{{- end }}

{{/* As a pod reaches it. A client in another namespace needs the name with its namespace, and so does KEDA. */}}
{{- define "asyncflow.url" -}}
{{ include "asyncflow.scheme" . }}://{{ include "asyncflow.server" . }}.{{ .Release.Namespace }}.svc:{{ .Values.server.port }}
{{- end }}

{{- define "asyncflow.podSecurity" -}}
runAsNonRoot: true
runAsUser: {{ .Values.runAs }}
runAsGroup: {{ .Values.runAs }}
fsGroup: {{ .Values.runAs }}
fsGroupChangePolicy: OnRootMismatch
seccompProfile:
  type: RuntimeDefault
{{- end }}

{{- define "asyncflow.containerSecurity" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities:
  drop: [ALL]
{{- end }}

{{/* The secrets of a server that are given: variable, file, Secret and its key. */}}
{{- define "asyncflow.secretFiles" -}}
{{- $files := list }}
{{- range $secret, $variable := dict "mysqlPassword" "FLOW_MYSQL_PASSWORD" "apiKey" "FLOW_API_KEY" "keyPepper" "FLOW_KEY_PEPPER" "redisUrl" "FLOW_REDIS_URL" }}
{{- $source := index $.Values.secrets $secret }}
{{- if $source.name }}
{{- $files = append $files (dict "variable" $variable "file" (kebabcase $secret) "name" $source.name "key" $source.key) }}
{{- end }}
{{- end }}
{{- dict "files" $files | toJson }}
{{- end }}

{{/* Access of a pod to DNS, wherever it runs. */}}
{{- define "asyncflow.dns" -}}
- ports:
    - { protocol: UDP, port: 53 }
    - { protocol: TCP, port: 53 }
{{- end }}
