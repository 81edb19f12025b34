{{- define "asyncflow.name" -}}
{{- if contains "asyncflow" .Release.Name }}{{ .Release.Name | trunc 40 | trimSuffix "-" }}{{ else }}{{ printf "%s-asyncflow" .Release.Name | trunc 40 | trimSuffix "-" }}{{ end }}
{{- end }}

{{- define "asyncflow.server" -}}
{{ include "asyncflow.name" . }}-server
{{- end }}

{{/* What a Service, a budget and a policy find pods by: never changes. Pods have no labels with a version, which would restart all fleets with each new chart. */}}
{{- define "asyncflow.selector" -}}
app.kubernetes.io/name: asyncflow
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "asyncflow.labels" -}}
{{ include "asyncflow.selector" . }}
app.kubernetes.io/part-of: asyncflow
app.kubernetes.io/version: {{ .Chart.AppVersion | replace "+" "_" | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" }}
{{- with .Values.labels }}
{{ toYaml . }}
{{- end }}
{{- end }}

{{- define "asyncflow.scheme" -}}
{{ if .Values.tls.secret }}https{{ else }}http{{ end }}
{{- end }}

{{/* As a pod reaches it. A client in another namespace needs the name with its namespace, and so does KEDA. */}}
{{- define "asyncflow.host" -}}
{{ include "asyncflow.server" . }}.{{ .Release.Namespace }}.svc
{{- end }}

{{- define "asyncflow.url" -}}
{{ include "asyncflow.scheme" . }}://{{ include "asyncflow.host" . }}:{{ .Values.server.port }}
{{- end }}

{{- define "asyncflow.podSecurity" -}}
runAsNonRoot: true
{{- with .Values.runAs }}
runAsUser: {{ . }}
runAsGroup: {{ . }}
fsGroup: {{ . }}
{{- end }}
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

{{/* Where pods run: of the servers, or of a fleet ("of"), with the labels that the others of them have ("selector"). */}}
{{- define "asyncflow.placement" -}}
automountServiceAccountToken: false
{{- with .of.serviceAccount }}
serviceAccountName: {{ . }}
{{- end }}
{{- with .of.priorityClass }}
priorityClassName: {{ . }}
{{- end }}
{{- with .of.runtimeClass }}
runtimeClassName: {{ . }}
{{- end }}
{{- with .of.nodeSelector }}
nodeSelector: {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .of.tolerations }}
tolerations: {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .of.affinity }}
affinity: {{- toYaml . | nindent 2 }}
{{- end }}
{{- if .of.topologySpreadConstraints }}
topologySpreadConstraints:
  {{- range .of.topologySpreadConstraints }}
  -
    {{- toYaml . | nindent 4 }}
    labelSelector:
      matchLabels: {{- $.selector | nindent 8 }}
    # A rollout spreads its new pods, whatever the old ones do.
    matchLabelKeys: [pod-template-hash]
  {{- end }}
{{- end }}
{{- end }}

{{/* The secrets of a server that are given: variable, file, Secret and its key. */}}
{{- define "asyncflow.secretFiles" -}}
{{- $files := list }}
{{- range $secret, $variable := dict "mysqlPassword" "FLOW_MYSQL_PASSWORD" "apiKey" "FLOW_API_KEY" "keyPepper" "FLOW_KEY_PEPPER" "redisUrl" "FLOW_REDIS_URL" "oidcClientSecret" "FLOW_OIDC_CLIENT_SECRET" }}
{{- $source := index $.Values.secrets $secret }}
{{- if $source.name }}
{{- $files = append $files (dict "variable" $variable "file" (kebabcase $secret) "name" $source.name "key" $source.key) }}
{{- end }}
{{- end }}
{{- dict "files" $files | toJson }}
{{- end }}

{{/* Those that are named, or the ports of the hosts in database.url, of which each may have its own. */}}
{{- define "asyncflow.databasePorts" -}}
{{- $ports := .Values.networkPolicy.database.ports }}
{{- if not $ports }}
{{- $hosts := regexReplaceAll "^jdbc:mysql:[^/]*//([^/?]*).*$" .Values.database.url "${1}" }}
{{- if regexMatch `\(|\[[^\]]*,` $hosts }}
{{- fail "networkPolicy.database.ports is needed: the chart does not read ports from this form of database.url" }}
{{- end }}
{{- range splitList "," $hosts }}
{{- $ports = append $ports (int (default "3306" (regexFind "[0-9]+$" (regexFind ":[0-9]+$" .)))) }}
{{- end }}
{{- end }}
{{- dict "ports" (uniq $ports) | toJson }}
{{- end }}

{{- define "asyncflow.storePort" -}}
{{- $endpoint := .Values.store.s3.endpoint }}
{{- default (ternary "80" "443" (hasPrefix "http://" $endpoint)) (regexFind "[0-9]+$" (regexFind ":[0-9]+$" (regexReplaceAll "^https?://([^/]*).*$" $endpoint "${1}"))) }}
{{- end }}

{{/* A rule of a policy: TCP to ports of peers, or of every address if there are none. */}}
{{- define "asyncflow.way" -}}
- ports:
    {{- range .ports }}
    - { protocol: TCP, port: {{ . }} }
    {{- end }}
  {{- with .to }}
  to: {{- toYaml . | nindent 4 }}
  {{- end }}
{{- end }}

{{- define "asyncflow.dns" -}}
{{- with .Values.networkPolicy.dns -}}
- ports:
    {{- range .ports }}
    - { protocol: UDP, port: {{ . }} }
    - { protocol: TCP, port: {{ . }} }
    {{- end }}
  {{- with .to }}
  to: {{- toYaml . | nindent 4 }}
  {{- end }}
{{- end }}
{{- end }}

{{/* Refuses a client that the policy would keep out: none is named in the list ("list") of those that it lets in. */}}
{{- define "asyncflow.requirePeers" -}}
{{- if and .root.Values.networkPolicy.enabled (not (index .root.Values.networkPolicy .list)) }}
{{- fail (printf "networkPolicy.%s is empty, so %s cannot reach flowsvr: name its namespace there" .list .client) }}
{{- end }}
{{- end }}
