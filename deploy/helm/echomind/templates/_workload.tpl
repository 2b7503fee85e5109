{{- /* A Deployment of one service: (dict root component values environment ports probes). */ -}}
{{- define "echomind.deployment" -}}
apiVersion: apps/v1
kind: Deployment
metadata:
  name: {{ .root.Release.Name }}-{{ .component }}
  labels:
    {{- include "echomind.metadataLabels" . | nindent 4 }}
spec:
  {{- if eq .values.autoscaling.engine "none" }}
  replicas: {{ .values.replicas }}
  {{- end }}
  selector:
    matchLabels:
      {{- include "echomind.labels" . | nindent 6 }}
  strategy:
    rollingUpdate:
      maxUnavailable: 0
      maxSurge: 1
  template:
    metadata:
      labels:
        {{- include "echomind.labels" . | nindent 8 }}
      {{- with .values.podAnnotations }}
      annotations:
        {{- toYaml . | nindent 8 }}
      {{- end }}
    spec:
      automountServiceAccountToken: false
      enableServiceLinks: false
      terminationGracePeriodSeconds: {{ .values.terminationGracePeriodSeconds }}
      securityContext:
        {{- include "echomind.podSecurity" . | nindent 8 }}
      {{- with .root.Values.image.pullSecrets }}
      imagePullSecrets:
        {{- range . }}
        - name: {{ . }}
        {{- end }}
      {{- end }}
      {{- with .values.nodeSelector }}
      nodeSelector:
        {{- toYaml . | nindent 8 }}
      {{- end }}
      {{- with .values.tolerations }}
      tolerations:
        {{- toYaml . | nindent 8 }}
      {{- end }}
      topologySpreadConstraints:
        {{- range list "topology.kubernetes.io/zone" "kubernetes.io/hostname" }}
        - maxSkew: 1
          topologyKey: {{ . }}
          whenUnsatisfiable: ScheduleAnyway
          labelSelector:
            matchLabels:
              {{- include "echomind.labels" $ | nindent 14 }}
        {{- end }}
      containers:
        - name: {{ .component }}
          image: {{ include "echomind.image" . }}
          imagePullPolicy: {{ .root.Values.image.pullPolicy }}
          securityContext:
            {{- include "echomind.containerSecurity" . | nindent 12 }}
          env:
            {{- .environment | trim | nindent 12 }}
            {{- include "echomind.settings" . | trim | nindent 12 }}
            {{- include "echomind.certificates" .root | trim | nindent 12 }}
          ports:
            {{- toYaml .ports | nindent 12 }}
          {{- toYaml .probes | nindent 10 }}
          {{- with .values.drainSeconds }}
          lifecycle:
            preStop:
              sleep:
                seconds: {{ . }}
          {{- end }}
          resources:
            {{- toYaml .values.resources | nindent 12 }}
          volumeMounts:
            - { name: data, mountPath: /data }
            - { name: tmp, mountPath: /tmp }
            {{- include "echomind.certificatesMount" .root | trim | nindent 12 }}
      volumes:
        - { name: data, emptyDir: { sizeLimit: 64Mi } }
        - { name: tmp, emptyDir: { sizeLimit: 2Gi } }
        {{- include "echomind.certificatesVolume" .root | trim | nindent 8 }}
{{- if .values.podDisruptionBudget.enabled }}
---
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata:
  name: {{ .root.Release.Name }}-{{ .component }}
  labels:
    {{- include "echomind.metadataLabels" . | nindent 4 }}
spec:
  maxUnavailable: {{ .values.podDisruptionBudget.maxUnavailable }}
  selector:
    matchLabels:
      {{- include "echomind.labels" . | nindent 6 }}
{{- end }}
{{- end }}

{{- /* Probes over the health port: liveness asks no dependency, readiness asks those that the service needs. */ -}}
{{- define "echomind.healthProbes" -}}
startupProbe:
  httpGet: { path: /healthz, port: health }
  periodSeconds: 5
  failureThreshold: {{ add 12 (div .root.Values.migrations.waitSeconds 5) }}
livenessProbe:
  httpGet: { path: /healthz, port: health }
  periodSeconds: 10
  timeoutSeconds: 5
  failureThreshold: 6
readinessProbe:
  httpGet: { path: /readyz, port: health }
  periodSeconds: 5
  timeoutSeconds: 5
  failureThreshold: 2
{{- end }}

{{- define "echomind.scaler" -}}
{{- $scaling := .values.autoscaling }}
{{- if eq $scaling.engine "hpa" }}
---
apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata:
  name: {{ .root.Release.Name }}-{{ .component }}
  labels:
    {{- include "echomind.metadataLabels" . | nindent 4 }}
spec:
  scaleTargetRef:
    apiVersion: apps/v1
    kind: Deployment
    name: {{ .root.Release.Name }}-{{ .component }}
  minReplicas: {{ $scaling.min }}
  maxReplicas: {{ $scaling.max }}
  behavior:
    scaleDown:
      stabilizationWindowSeconds: 300
  metrics:
    {{- if $scaling.cpuPercent }}
    - type: Resource
      resource:
        name: cpu
        target:
          type: Utilization
          averageUtilization: {{ $scaling.cpuPercent }}
    {{- else }}
    - type: External
      external:
        metric:
          name: {{ .metric }}
        target:
          type: AverageValue
          averageValue: {{ .perPod | quote }}
    {{- end }}
{{- else if eq $scaling.engine "keda" }}
---
apiVersion: keda.sh/v1alpha1
kind: ScaledObject
metadata:
  name: {{ .root.Release.Name }}-{{ .component }}
  labels:
    {{- include "echomind.metadataLabels" . | nindent 4 }}
spec:
  scaleTargetRef:
    name: {{ .root.Release.Name }}-{{ .component }}
  minReplicaCount: {{ $scaling.min }}
  maxReplicaCount: {{ $scaling.max }}
  cooldownPeriod: 300
  triggers:
    {{- if $scaling.cpuPercent }}
    - type: cpu
      metricType: Utilization
      metadata:
        value: {{ $scaling.cpuPercent | quote }}
    {{- else }}
    - type: prometheus
      metadata:
        serverAddress: {{ .root.Values.keda.prometheusUrl }}
        query: {{ .query | quote }}
        threshold: {{ .perPod | quote }}
    {{- end }}
{{- end }}
{{- end }}
