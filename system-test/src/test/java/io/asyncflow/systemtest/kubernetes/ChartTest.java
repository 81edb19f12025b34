package io.asyncflow.systemtest.kubernetes;

import static io.asyncflow.systemtest.kubernetes.Chart.FULL;
import static io.asyncflow.systemtest.kubernetes.Chart.HOME;
import static io.asyncflow.systemtest.kubernetes.Chart.MINIMAL;
import static io.asyncflow.systemtest.kubernetes.Chart.at;
import static io.asyncflow.systemtest.kubernetes.Chart.containerOf;
import static io.asyncflow.systemtest.kubernetes.Chart.each;
import static io.asyncflow.systemtest.kubernetes.Chart.text;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.asyncflow.worker.autoconfigure.WorkerProperties;
import io.kubernetes.client.openapi.JSON;
import java.io.IOException;
import java.lang.reflect.Field;
import java.lang.reflect.InvocationTargetException;
import java.nio.file.Files;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * What the chart makes, as Helm renders it. Objects of Kubernetes are held to the classes of its
 * OpenAPI description, which know every field; those of KEDA and of Prometheus Operator have no
 * such classes, and every field of them is named here.
 */
class ChartTest {

  private static final Set<String> OF_OTHERS =
      Set.of("keda.sh/v1alpha1", "monitoring.coreos.com/v1");

  @ParameterizedTest
  @ValueSource(strings = {MINIMAL, FULL})
  void everyObjectFollowsTheSchemaOfItsKind(String values) {
    assertThat(Chart.of(values).objects())
        .filteredOn(object -> !OF_OTHERS.contains(text(object, "apiVersion")))
        .hasSizeGreaterThan(3)
        .allSatisfy(object -> assertThatCode(() -> validate(object)).doesNotThrowAnyException());
  }

  @ParameterizedTest
  @CsvSource({
    "readOnlyRootFilesystem, readonlyRootFilesystem",
    "'\"seconds\":5', '\"seconds\":\"5s\"'",
    "'\"name\":\"flowsvr\",', ''"
  })
  void whatIsNoObjectOfKubernetesIsFound(String right, String wrong) {
    String server = Chart.of(MINIMAL).one("Deployment", "-server").toString();
    assertThat(server).contains(right);
    JsonObject broken = JsonParser.parseString(server.replace(right, wrong)).getAsJsonObject();
    assertThatThrownBy(() -> validate(broken)).isInstanceOf(InvocationTargetException.class);
  }

  /** Every field is known and every required one there, and each has its type. */
  private static void validate(JsonObject object) throws ReflectiveOperationException {
    String version = text(object, "apiVersion").replaceFirst(".*/", "").toUpperCase(Locale.ROOT);
    Class<?> schema =
        Class.forName("io.kubernetes.client.openapi.models." + version + text(object, "kind"));
    schema.getMethod("validateJsonElement", JsonElement.class).invoke(null, object);
    try {
      JSON.getGson().fromJson(object, schema);
    } catch (RuntimeException e) {
      throw new InvocationTargetException(e, "a value has the wrong type");
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "server.replica=3                        | replica",
        "image.repository=                       | /image/repository",
        "database.url=mysql://db                 | /database/url",
        "secrets.mysqlPassword.name=             | /secrets/mysqlPassword",
        "secrets.apiKey.name=                    | secrets.apiKey.name is needed",
        "store.claim=                            | store.claim or store.s3.bucket",
        "store.s3.bucket=b                       | store.claim and store.s3.bucket are both set",
        "ingress.enabled=true                    | /ingress/hosts",
        "ingress.enabled=true ingress.hosts[0]=a | ingress needs tls.proxy",
        "serviceMonitor.enabled=true             | serviceMonitor.key.name is needed",
        "serviceMonitor.enabled=true serviceMonitor.key.name=k"
            + "                              | networkPolicy.prometheus is empty, so Prometheus cannot reach flowsvr",
        "server.autoscaling.enabled=true server.autoscaling.minReplicas=7"
            + "                              | server.autoscaling.minReplicas 7 is more than maxReplicas 6",
        "server.autoscaling.enabled=true server.resources.requests.cpu=null"
            + "                              | server.resources.requests.cpu is needed with server.autoscaling",
        "server.env[0].name=FLOW_MYSQL_PASSWORD  | /server/env/0/name",
        "runAs=0                                 | runAs",
        "workers.tts.replicas=1                  | workers.tts.image is needed",
        "workers.tts.image=x                     | workers.tts.key.name is needed",
        "workers.tts.images=x                    | images",
        "workers.tts.metrics.port=x              | /workers/tts/metrics/port",
        "podDisruptionBudget.maxUnavailable=0    | maxUnavailable"
      })
  void valuesThatMakeNoSenseAreRefused(String setting, String message) {
    assertThatThrownBy(() -> Chart.of(MINIMAL, setting.split(" "))).hasMessageContaining(message);
  }

  @Test
  void noSmallestSizeIsAboveTheLargest() {
    assertThatThrownBy(() -> Chart.of(FULL, "workers.tts.scaling.minReplicas=21"))
        .hasMessageContaining("workers.tts.scaling.minReplicas 21 is more than maxReplicas 20");
    assertThatCode(
            () ->
                Chart.of(
                    FULL,
                    "workers.tts.scaling.minReplicas=20",
                    "server.autoscaling.minReplicas=8",
                    "workers.mail.scaling.minReplicas=11"))
        .doesNotThrowAnyException();
  }

  @Test
  void everyValueHasADefaultAndASchema() throws IOException {
    JsonObject schema = Chart.file("values.schema.json");
    requireSameNames("values", schema, Chart.file("values.yaml"), schema);
  }

  private static void requireSameNames(
      String path, JsonObject described, JsonObject values, JsonObject schema) {
    if (described.has("allOf")) {
      requireSameNames(
          path, described.getAsJsonArray("allOf").get(0).getAsJsonObject(), values, schema);
    } else if (described.has("$ref")) {
      String definition = text(described, "$ref").substring("#/".length()).replace('/', '.');
      requireSameNames(path, at(schema, definition).getAsJsonObject(), values, schema);
    } else if (described.has("properties")) {
      JsonObject properties = described.getAsJsonObject("properties");
      assertThat(values.keySet())
          .as(path)
          .containsExactlyInAnyOrderElementsOf(
              properties.keySet().stream().filter(name -> !name.equals("global")).toList());
      values.entrySet().stream()
          .filter(value -> value.getValue().isJsonObject())
          .forEach(
              value ->
                  requireSameNames(
                      path + "." + value.getKey(),
                      properties.getAsJsonObject(value.getKey()),
                      value.getValue().getAsJsonObject(),
                      schema));
    }
  }

  @Test
  void aClusterThatIsTooOldIsRefused() {
    assertThatThrownBy(() -> Chart.rendered("1.29.0", MINIMAL))
        .hasMessageContaining("requires kubeVersion");
  }

  @ParameterizedTest
  @ValueSource(strings = {MINIMAL, FULL})
  void noPodCanDoMoreThanItNeeds(String values) {
    assertThat(Chart.of(values).all("Deployment"))
        .isNotEmpty()
        .allSatisfy(
            deployment -> {
              JsonObject pod = at(deployment, "spec.template.spec").getAsJsonObject();
              assertThat(at(pod, "securityContext.runAsNonRoot").getAsBoolean()).isTrue();
              assertThat(at(pod, "securityContext.runAsUser").getAsInt()).isPositive();
              assertThat(at(pod, "securityContext.fsGroup").getAsInt()).isPositive();
              assertThat(text(pod, "securityContext.seccompProfile.type"))
                  .isEqualTo("RuntimeDefault");
              assertThat(at(pod, "automountServiceAccountToken").getAsBoolean()).isFalse();
              assertThat(at(pod, "enableServiceLinks").getAsBoolean()).isFalse();
              JsonObject rights = containerOf(deployment).getAsJsonObject("securityContext");
              assertThat(at(rights, "readOnlyRootFilesystem").getAsBoolean()).isTrue();
              assertThat(at(rights, "allowPrivilegeEscalation").getAsBoolean()).isFalse();
              assertThat(at(rights, "capabilities.drop")).hasToString("[\"ALL\"]");
            });
  }

  @Test
  void theClusterMayChooseTheUser() {
    JsonObject rights =
        at(
                Chart.of(MINIMAL, "runAs=null").one("Deployment", "-server"),
                "spec.template.spec.securityContext")
            .getAsJsonObject();
    assertThat(rights.keySet())
        .containsExactlyInAnyOrder("runAsNonRoot", "fsGroupChangePolicy", "seccompProfile");
  }

  @Test
  void everySecretIsAFileThatOthersCannotRead() {
    Chart chart = Chart.of(FULL);
    assertThat(variables(chart.one("Deployment", "-server")))
        .contains(
            "FLOW_MYSQL_PASSWORD_FILE=/etc/asyncflow/secrets/mysql-password",
            "FLOW_API_KEY_FILE=/etc/asyncflow/secrets/api-key",
            "FLOW_KEY_PEPPER_FILE=/etc/asyncflow/secrets/key-pepper",
            "FLOW_REDIS_URL_FILE=/etc/asyncflow/secrets/redis-url",
            "FLOW_OIDC_CLIENT_SECRET_FILE=/etc/asyncflow/secrets/oidc-client-secret",
            "AWS_SHARED_CREDENTIALS_FILE=/etc/asyncflow/secrets/s3-credentials");
    assertThat(variables(chart.one("Deployment", "-worker-tts")))
        .contains("FLOW_API_KEY_FILE=/etc/asyncflow/worker/key");
    for (JsonObject deployment : chart.all("Deployment")) {
      Set<String> mounted = mountedSecrets(deployment);
      assertThat(variables(deployment))
          .filteredOn(variable -> variable.contains("=/etc/asyncflow/"))
          .isNotEmpty()
          .allSatisfy(
              variable -> assertThat(mounted).contains(variable.replaceFirst("[^=]+=", "")));
      assertThat(variables(deployment))
          .noneMatch(
              variable ->
                  variable.matches(
                      "FLOW_(MYSQL_PASSWORD|API_KEY|KEY_PEPPER|REDIS_URL|OIDC_CLIENT_SECRET)=.*"));
    }
  }

  /** The files of a pod that come from Secrets, all of which only their group may read. */
  private static Set<String> mountedSecrets(JsonObject deployment) {
    Set<String> files = new TreeSet<>();
    for (JsonElement one : at(deployment, "spec.template.spec.volumes").getAsJsonArray()) {
      JsonObject volume = one.getAsJsonObject();
      String source = volume.has("projected") ? "projected" : "secret";
      if (volume.has(source)) {
        assertThat(at(volume, source + ".defaultMode").getAsInt()).isEqualTo(0400);
        String place = mountPathOf(containerOf(deployment), text(volume, "name"));
        if (source.equals("secret")) {
          files.addAll(List.of(place + "/tls.crt", place + "/tls.key"));
        } else {
          each(at(volume, "projected.sources"))
              .flatMap(secret -> each(at(secret, "secret.items")))
              .forEach(item -> files.add(place + "/" + text(item, "path")));
        }
      }
    }
    return files;
  }

  private static String mountPathOf(JsonObject container, String volume) {
    return each(at(container, "volumeMounts"))
        .filter(mount -> text(mount, "name").equals(volume))
        .map(mount -> text(mount, "mountPath"))
        .findFirst()
        .orElseThrow();
  }

  @Test
  void everyVariableIsOneThatTheProgramsRead() throws IOException {
    String readme = Files.readString(HOME.resolve("README.md"));
    Set<String> ofWorkers =
        Arrays.stream(WorkerProperties.class.getDeclaredFields())
            .map(Field::getName)
            .map(name -> "ASYNCFLOW_WORKER_" + name.toUpperCase(Locale.ROOT))
            .collect(Collectors.toSet());
    assertThat(Chart.of(FULL).all("Deployment"))
        .flatMap(ChartTest::variables)
        .map(variable -> variable.replaceFirst("=.*", ""))
        .filteredOn(name -> !name.startsWith("AWS_") && !name.equals("HOME"))
        .allMatch(name -> readme.contains("`" + name + "`") || ofWorkers.contains(name));
  }

  private static List<String> variables(JsonObject deployment) {
    return each(at(containerOf(deployment), "env"))
        .map(variable -> text(variable, "name") + "=" + text(variable, "value"))
        .toList();
  }

  @Test
  void aStartHasTheTimeOfItsMigrations() {
    JsonObject server = Chart.of(MINIMAL, "server.startupSeconds=900").one("Deployment", "-server");
    JsonObject probe = at(containerOf(server), "startupProbe").getAsJsonObject();
    assertThat(at(probe, "failureThreshold").getAsInt() * at(probe, "periodSeconds").getAsInt())
        .isEqualTo(900);
    assertThat(at(server, "spec.progressDeadlineSeconds").getAsInt()).isGreaterThan(900);
    assertThat(at(containerOf(server), "args").toString())
        .contains("--flow.database-patience=450s");
  }

  @Test
  void aStopHasTheTimeThatItTakes() throws IOException {
    JsonObject server = Chart.of(FULL).one("Deployment", "-server");
    assertThat(at(containerOf(server), "lifecycle.preStop.sleep.seconds").getAsInt()).isEqualTo(10);
    assertThat(at(containerOf(server), "args").getAsJsonArray().get(0).getAsString())
        .isEqualTo("--flow.drain-time=8s");
    assertThat(Files.readString(HOME.resolve("docs/operating.md")))
        .contains("Before SIGKILL, allow a\n  server 30 s, and a worker its grace period plus ten");
    assertThat(at(server, "spec.template.spec.terminationGracePeriodSeconds").getAsInt())
        .isEqualTo(10 + 8 + 30);

    JsonObject worker = Chart.of(FULL).one("Deployment", "-worker-tts");
    assertThat(variables(worker)).contains("ASYNCFLOW_WORKER_SHUTDOWNGRACE=60s");
    assertThat(at(worker, "spec.template.spec.terminationGracePeriodSeconds").getAsInt())
        .isEqualTo(60 + 10);
  }

  @Test
  void aRolloutStartsAServerBeforeItStopsOne() {
    JsonObject server = Chart.of(MINIMAL).one("Deployment", "-server");
    assertThat(at(server, "spec.strategy.rollingUpdate"))
        .isEqualTo(JsonParser.parseString("{\"maxSurge\": 1, \"maxUnavailable\": 0}"));
  }

  @Test
  void everyObjectHasTheLabelsThatKubernetesRecommends() {
    assertThat(Chart.of(FULL).objects())
        .allSatisfy(
            object ->
                assertThat(at(object, "metadata.labels").getAsJsonObject().keySet())
                    .contains(
                        "app.kubernetes.io/name",
                        "app.kubernetes.io/instance",
                        "app.kubernetes.io/part-of",
                        "app.kubernetes.io/version",
                        "app.kubernetes.io/managed-by",
                        "helm.sh/chart",
                        "example.com/owner"));
  }

  /** A fleet with work of hours is not restarted because the servers have a new version. */
  @ParameterizedTest
  @ValueSource(strings = {MINIMAL, FULL})
  void noPodHasALabelThatChangesWithTheChart(String values) {
    assertThat(Chart.of(values).all("Deployment"))
        .allSatisfy(
            deployment ->
                assertThat(
                        at(deployment, "spec.template.metadata.labels").getAsJsonObject().keySet())
                    .contains("app.kubernetes.io/name", "app.kubernetes.io/component")
                    .doesNotContain("helm.sh/chart", "app.kubernetes.io/version"));
  }

  @Test
  void serversAreSpreadOverZonesAndNodes() {
    JsonObject server = Chart.of(MINIMAL).one("Deployment", "-server");
    List<JsonObject> spreads =
        each(at(server, "spec.template.spec.topologySpreadConstraints")).toList();
    assertThat(spreads)
        .extracting(spread -> text(spread, "topologyKey"))
        .containsExactly("topology.kubernetes.io/zone", "kubernetes.io/hostname");
    assertThat(spreads)
        .allSatisfy(
            spread -> {
              assertThat(at(spread, "labelSelector")).isEqualTo(at(server, "spec.selector"));
              assertThat(at(spread, "matchLabelKeys")).hasToString("[\"pod-template-hash\"]");
            });
  }

  @Test
  void serversAreScaledByTheirProcessors() {
    Chart chart = Chart.of(FULL);
    JsonObject server = chart.one("Deployment", "-server");
    assertThat(at(server, "spec").getAsJsonObject().has("replicas")).isFalse();
    assertThat(at(containerOf(server), "args").toString())
        .contains("--server.tomcat.max-keep-alive-requests=1000");
    assertThat(at(containerOf(Chart.of(MINIMAL).one("Deployment", "-server")), "args").toString())
        .doesNotContain("max-keep-alive-requests");
    JsonObject scaler = chart.one("HorizontalPodAutoscaler", "-server");
    assertThat(text(scaler, "spec.scaleTargetRef.name")).isEqualTo(text(server, "metadata.name"));
    assertThat(at(scaler, "spec.minReplicas").getAsInt()).isEqualTo(3);
    assertThat(at(scaler, "spec.maxReplicas").getAsInt()).isEqualTo(8);
    assertThat(at(scaler, "spec.metrics"))
        .isEqualTo(
            JsonParser.parseString(
                """
                [{"type": "ContainerResource", "containerResource": {
                   "name": "cpu", "container": "%s",
                   "target": {"type": "Utilization", "averageUtilization": 70}}}]
                """
                    .formatted(text(containerOf(server), "name"))));
  }

  /** Kubernetes takes a limit for a request that is not given. */
  @Test
  void aLimitOfProcessorsIsARequest() {
    assertThatCode(
            () ->
                Chart.of(
                    FULL, "server.resources.requests.cpu=null", "server.resources.limits.cpu=2"))
        .doesNotThrowAnyException();
  }

  @Test
  void theIngressLeadsToTheServers() {
    Chart chart = Chart.of(FULL);
    JsonObject service = chart.one("Service", "-server");
    assertThat(Chart.of(MINIMAL).all("Ingress")).isEmpty();
    assertThat(chart.one("Ingress", "-server").get("spec"))
        .isEqualTo(
            JsonParser.parseString(
                """
                {"ingressClassName": "traefik",
                 "tls": [{"hosts": ["flow.example.com"], "secretName": "flow-example-com"}],
                 "rules": [{"host": "flow.example.com", "http": {"paths": [
                   {"path": "/", "pathType": "Prefix", "backend": {"service": {
                     "name": "%s", "port": {"name": "%s"}}}}]}}]}
                """
                    .formatted(
                        text(service, "metadata.name"),
                        text(each(at(service, "spec.ports")).findFirst().get(), "name"))));
  }

  @Test
  void prometheusScrapesEachServerWithItsOwnKey() {
    JsonObject monitor = Chart.of(FULL).one("ServiceMonitor", "-server");
    assertThat(text(monitor, "metadata.labels.release")).isEqualTo("prometheus");
    assertThat(monitor.get("spec"))
        .isEqualTo(
            JsonParser.parseString(
                """
                {"selector": {"matchLabels": {
                   "app.kubernetes.io/name": "asyncflow", "app.kubernetes.io/instance": "flow",
                   "app.kubernetes.io/component": "server"}},
                 "endpoints": [{
                   "port": "https", "scheme": "https", "path": "/actuator/prometheus",
                   "interval": "30s",
                   "relabelings": [
                     {"targetLabel": "job", "replacement": "jobs/flow-asyncflow-server"}],
                   "authorization": {
                     "credentials": {"name": "prometheus-reader", "key": "metrics-key"}},
                   "tlsConfig": {
                     "serverName": "flow-asyncflow-server.jobs.svc",
                     "ca": {"secret": {"name": "flowsvr-ca", "key": "ca.crt"}}}}]}
                """));
  }

  @Test
  void prometheusScrapesAFleetThatServesItsMetrics() {
    Chart chart = Chart.of(FULL);
    JsonObject monitor = chart.one("PodMonitor", "-worker-tts");
    assertThat(text(monitor, "metadata.labels.release")).isEqualTo("prometheus");
    assertThat(monitor.get("spec"))
        .isEqualTo(
            JsonParser.parseString(
                """
                {"selector": {"matchLabels": {
                   "app.kubernetes.io/name": "asyncflow", "app.kubernetes.io/instance": "flow",
                   "app.kubernetes.io/component": "worker", "asyncflow/fleet": "tts"}},
                 "podMetricsEndpoints": [{
                   "port": "metrics", "path": "/actuator/prometheus", "interval": "30s"}]}
                """));
    assertThat(podsOf(chart, at(monitor, "spec.selector").getAsJsonObject()))
        .containsExactly("flow-asyncflow-worker-tts");
    assertThat(at(containerOf(chart.one("Deployment", "-worker-tts")), "ports"))
        .isEqualTo(JsonParser.parseString("[{'name': 'metrics', 'containerPort': 8080}]"));
    assertThat(at(chart.one("NetworkPolicy", "-worker-tts"), "spec.ingress"))
        .isEqualTo(
            JsonParser.parseString(
                """
                [{"ports": [{"protocol": "TCP", "port": 8080}],
                  "from": [{"namespaceSelector": {"matchLabels": {
                    "kubernetes.io/metadata.name": "monitoring"}}}]},
                 {"ports": [{"protocol": "TCP", "port": 9000}],
                  "from": [{"podSelector": {"matchLabels": {"app": "lab"}}}]}]
                """));
    assertThat(chart.all("PodMonitor")).hasSize(1);
    assertThat(containerOf(chart.one("Deployment", "-worker-mail")).has("ports")).isFalse();
  }

  @Test
  void noFleetIsScrapedUnlessThereIsPrometheusOperator() {
    assertThat(Chart.of(FULL, "serviceMonitor.enabled=false").objects())
        .extracting(object -> text(object, "kind"))
        .contains("Deployment")
        .doesNotContain("PodMonitor", "ServiceMonitor");
  }

  @Test
  void theAlertsAreThoseOfTheFile() throws IOException {
    JsonObject rule = Chart.of(FULL).one("PrometheusRule", "-asyncflow");
    assertThat(text(rule, "metadata.labels.release")).isEqualTo("prometheus");
    assertThat(rule.get("spec")).isEqualTo(Chart.file("monitoring/alerts.yml"));
    assertThat(Chart.of(MINIMAL).all("PrometheusRule")).isEmpty();
  }

  @Test
  void aServerThatWasScaledAwayIsNoAlert() throws IOException {
    assertThat(
            each(at(Chart.file("monitoring/alerts.yml"), "groups"))
                .flatMap(group -> each(at(group, "rules")))
                .filter(rule -> text(rule, "alert").equals("AsyncflowServerAway"))
                .map(rule -> text(rule, "expr")))
        .singleElement()
        .asString()
        .as("targets that Prometheus finds, and not how many there were")
        .startsWith("count by (job) (up == 0 and ");
  }

  @Test
  void theDashboardIsTheFile() throws IOException {
    JsonObject dashboard = Chart.of(FULL).one("ConfigMap", "-dashboard");
    assertThat(text(dashboard, "metadata.labels.grafana_dashboard")).isEqualTo("1");
    assertThat(text(dashboard, "metadata.annotations.grafana_folder")).isEqualTo("Asyncflow");
    assertThat(dashboard.getAsJsonObject("data").get("asyncflow.json").getAsString())
        .isEqualTo(
            Files.readString(HOME.resolve("deploy/helm/asyncflow/monitoring/asyncflow.json")))
        // What kubectl apply keeps in an annotation.
        .hasSizeLessThan(256 * 1024);
    assertThat(Chart.of(MINIMAL).all("ConfigMap")).isEmpty();
  }

  @Test
  void aFleetGetsDevicesAndTheTimeToLoadItsModels() {
    JsonObject fleet = Chart.of(FULL).one("Deployment", "-worker-tts");
    JsonObject pod = at(fleet, "spec.template.spec").getAsJsonObject();
    assertThat(at(containerOf(fleet), "resources.limits").getAsJsonObject().get("nvidia.com/gpu"))
        .hasToString("1");
    assertThat(text(pod, "runtimeClassName")).isEqualTo("nvidia");
    assertThat(text(pod, "nodeSelector.accelerator")).isEqualTo("gpu");
    assertThat(each(at(pod, "tolerations"))).hasSize(1);
    assertThat(at(containerOf(fleet), "startupProbe.failureThreshold").getAsInt()).isEqualTo(60);
    assertThat(each(at(pod, "initContainers")).map(container -> text(container, "name")))
        .containsExactly("models");
  }

  @Test
  void aWorkerHasAHomeThatItCanWrite() {
    JsonObject fleet = Chart.of(FULL).one("Deployment", "-worker-mail");
    assertThat(variables(fleet)).contains("HOME=/data");
    assertThat(mountPathOf(containerOf(fleet), "data")).isEqualTo("/data");
  }

  @Test
  void aFleetReplacesAProbeAndAStrategyOfTheDefaultsAsAWhole() {
    Chart chart =
        Chart.of(
            FULL,
            "workerDefaults.livenessProbe.httpGet.port=8080",
            "workerDefaults.strategy.rollingUpdate.maxSurge=0",
            "workers.mail.livenessProbe.tcpSocket.port=9000",
            "workers.mail.strategy.type=Recreate");
    JsonObject mail = chart.one("Deployment", "-worker-mail");
    assertThat(at(containerOf(mail), "livenessProbe"))
        .isEqualTo(JsonParser.parseString("{'tcpSocket': {'port': 9000}}"));
    assertThat(at(mail, "spec.strategy")).isEqualTo(JsonParser.parseString("{'type': 'Recreate'}"));
    JsonObject merge = chart.one("Deployment", "-worker-merge");
    assertThat(at(containerOf(merge), "livenessProbe"))
        .isEqualTo(JsonParser.parseString("{'httpGet': {'port': 8080}}"));
  }

  @Test
  void aServerMayHaveASidecar() {
    JsonObject server = Chart.of(FULL).one("Deployment", "-server");
    assertThat(
            each(at(server, "spec.template.spec.initContainers"))
                .map(container -> text(container, "restartPolicy")))
        .containsExactly("Always");
  }

  @Test
  void aServerOfManyMayBeTakenAway() {
    assertThat(Chart.of(MINIMAL, "server.replicas=1").all("PodDisruptionBudget")).isEmpty();
    assertThat(Chart.of(FULL, "server.autoscaling.minReplicas=1").all("PodDisruptionBudget"))
        .hasSize(1);
    JsonObject budget = Chart.of(MINIMAL).one("PodDisruptionBudget", "-server");
    assertThat(at(budget, "spec.maxUnavailable").getAsInt()).isEqualTo(1);
    assertThat(podsOf(Chart.of(FULL), at(budget, "spec.selector").getAsJsonObject()))
        .containsExactly("flow-asyncflow-server");
  }

  @Test
  void aWorkerReachesFlowsvrAndNoDatabase() {
    Chart chart = Chart.of(FULL);
    JsonObject policy = chart.one("NetworkPolicy", "-worker-mail");
    assertThat(podsOf(chart, at(policy, "spec.podSelector").getAsJsonObject()))
        .containsExactly("flow-asyncflow-worker-mail");
    assertThat(at(policy, "spec").getAsJsonObject().has("ingress")).isFalse();
    List<JsonObject> rules = each(at(policy, "spec.egress")).toList();
    assertThat(rules).hasSize(2);
    assertThat(ports(rules.get(0))).containsOnly("53");
    assertThat(ports(rules.get(1))).containsExactly("8081");
    assertThat(each(at(rules.get(1), "to")))
        .singleElement()
        .satisfies(
            peer ->
                assertThat(podsOf(chart, at(peer, "podSelector").getAsJsonObject()))
                    .containsExactly("flow-asyncflow-server"));
  }

  @Test
  void flowsvrIsReachedByWorkersAndByWhomTheValuesName() {
    Chart chart = Chart.of(FULL);
    JsonObject policy = chart.one("NetworkPolicy", "-server");
    List<JsonObject> rules = each(at(policy, "spec.ingress")).toList();
    assertThat(rules).hasSize(1);
    assertThat(ports(rules.get(0))).containsExactly("8081");
    List<JsonObject> peers = each(at(rules.get(0), "from")).toList();
    assertThat(podsOf(chart, at(peers.get(0), "podSelector").getAsJsonObject()))
        .containsExactlyInAnyOrder(
            "flow-asyncflow-worker-tts",
            "flow-asyncflow-worker-merge",
            "flow-asyncflow-worker-mail");
    assertThat(peers.subList(1, peers.size()).toString())
        .contains("\"keda\"", "\"traefik\"", "\"monitoring\"");
  }

  @Test
  void flowsvrReachesWhatTheValuesNameAndNoMore() {
    assertThat(reached(Chart.of(FULL)))
        .containsExactly(
            "53,53 of kube-system",
            "3307,3306 of 203.0.113.16/28",
            "6379 of any",
            "9000 of any",
            "443 of 203.0.113.64/28");
    assertThat(reached(Chart.of(MINIMAL))).containsExactly("53,53 of any", "3306 of any");
  }

  @Test
  void portsOfPodsBehindAServiceAreNamed() {
    assertThat(
            reached(
                Chart.of(
                    FULL,
                    "networkPolicy.database.ports[0]=6446",
                    "networkPolicy.database.ports[1]=6447",
                    "networkPolicy.store.ports[0]=9001")))
        .contains("6446,6447 of 203.0.113.16/28", "9001 of any")
        .doesNotContain("9000 of any");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "jdbc:mysql://address=(host=db)(port=3307)/asyncflow",
        "jdbc:mysql://(host=db,port=3307)/asyncflow",
        "jdbc:mysql://[one:3307,two:3308]/asyncflow"
      })
  void aDatabaseWhosePortsAreNotReadNeedsThemNamed(String url) {
    assertThatThrownBy(() -> Chart.of(MINIMAL, "database.url=" + url))
        .hasMessageContaining("networkPolicy.database.ports is needed");
    assertThat(
            reached(
                Chart.of(MINIMAL, "database.url=" + url, "networkPolicy.database.ports[0]=3307")))
        .contains("3307 of any");
  }

  private static List<String> reached(Chart chart) {
    return each(at(chart.one("NetworkPolicy", "-server"), "spec.egress"))
        .map(
            rule ->
                String.join(",", ports(rule))
                    + " of "
                    + (rule.has("to")
                        ? rule.get("to").toString().replaceFirst(".*:\"([^\"]+)\".*", "$1")
                        : "any"))
        .toList();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "jdbc:mysql://db/asyncflow | 3306",
        "jdbc:mysql://db:3307/asyncflow?a=b:1 | 3307",
        "jdbc:mysql://one:3307,two:3308,three:3307/asyncflow | 3307 3308",
        "jdbc:mysql:loadbalance://one,two:3308/asyncflow | 3306 3308",
        "jdbc:mysql://[2001:db8::1]:3309/asyncflow | 3309",
        "jdbc:mysql://[2001:db8::1]/asyncflow | 3306"
      })
  void theDatabaseIsReachedAtThePortsOfItsUrl(String url, String ports) {
    JsonObject policy = Chart.of(MINIMAL, "database.url=" + url).one("NetworkPolicy", "-server");
    assertThat(ports(each(at(policy, "spec.egress")).skip(1).findFirst().get()))
        .containsExactly(ports.split(" "));
  }

  @ParameterizedTest
  @CsvSource({
    "'', 443",
    "https://s3.example.com, 443",
    "http://minio.data.svc:9000/, 9000",
    "http://minio, 80"
  })
  void theBucketIsReachedAtThePortOfItsEndpoint(String endpoint, String port) {
    JsonObject policy =
        Chart.of(MINIMAL, "store.claim=", "store.s3.bucket=b", "store.s3.endpoint=" + endpoint)
            .one("NetworkPolicy", "-server");
    assertThat(ports(each(at(policy, "spec.egress")).skip(2).findFirst().get()))
        .containsExactly(port);
  }

  private static List<String> ports(JsonObject rule) {
    return each(at(rule, "ports")).map(port -> text(port, "port")).toList();
  }

  /** The Deployments whose pods have the labels. */
  private static List<String> podsOf(Chart chart, JsonObject selector) {
    Set<?> labels = at(selector, "matchLabels").getAsJsonObject().entrySet();
    assertThat(labels).isNotEmpty();
    return chart.all("Deployment").stream()
        .filter(
            deployment ->
                at(deployment, "spec.template.metadata.labels")
                    .getAsJsonObject()
                    .entrySet()
                    .containsAll(labels))
        .map(deployment -> text(deployment, "metadata.name"))
        .toList();
  }

  @Test
  void everySelectorOfADeploymentFindsItsPodsAlone() {
    Chart chart = Chart.of(FULL);
    assertThat(chart.all("Deployment"))
        .hasSize(4)
        .allSatisfy(
            deployment ->
                assertThat(podsOf(chart, at(deployment, "spec.selector").getAsJsonObject()))
                    .containsExactly(text(deployment, "metadata.name")));
  }

  @Test
  void aFleetIsScaledByTheTasksOfItsType() {
    Chart chart = Chart.of(FULL);
    JsonObject scaled = chart.one("ScaledObject", "-worker-tts");
    String fleet = text(scaled, "spec.scaleTargetRef.name");
    assertThat(at(chart.one("Deployment", fleet), "spec").getAsJsonObject().has("replicas"))
        .isFalse();
    assertThat(scaled.get("spec"))
        .isEqualTo(
            JsonParser.parseString(
                """
                {"scaleTargetRef": {"name": "flow-asyncflow-worker-tts"},
                 "minReplicaCount": 0, "maxReplicaCount": 20,
                 "pollingInterval": 15, "cooldownPeriod": 300,
                 "advanced": {
                   "scalingModifiers": {
                     "formula": "due + executing", "target": "8", "metricType": "AverageValue"},
                   "horizontalPodAutoscalerConfig": {"behavior": {
                     "scaleDown": {"stabilizationWindowSeconds": 300}}}},
                 "triggers": [%s, %s]}
                """
                    .formatted(
                        trigger(
                            "due",
                            "[result.types.#(taskType==\\\"tts\\\")#|#(paused==false).due.count,!0].0"),
                        trigger(
                            "executing",
                            "result.types.#(taskType==\\\"tts\\\").executing.count"))));
  }

  private static String trigger(String count, String location) {
    return """
        {"type": "metrics-api", "name": "%s",
         "metadata": {
           "url": "https://flow-asyncflow-server.jobs.svc:8081/api/stats/overview",
           "valueLocation": "%s",
           "targetValue": "8", "authMode": "bearer"},
         "authenticationRef": {"name": "flow-asyncflow-worker-tts"}}
        """
        .formatted(count, location);
  }

  @Test
  void aFleetOfOneStageIsScaledByTheTasksOfThatStage() {
    assertThat(
            each(at(Chart.of(FULL).one("ScaledObject", "-worker-merge"), "spec.triggers"))
                .map(trigger -> at(trigger, "metadata").getAsJsonObject())
                .map(of -> text(of, "url") + " " + text(of, "valueLocation")))
        .containsExactly(
            "https://flow-asyncflow-server.jobs.svc:8081/api/stats/stages?taskType=tts"
                + " [result.stages.#(taskStage==\"merge\").due.count,!0].0",
            "https://flow-asyncflow-server.jobs.svc:8081/api/stats/stages?taskType=tts"
                + " [result.stages.#(taskStage==\"merge\").executing.count,!0].0");
  }

  @Test
  void theScalerHasAKeyOfItsOwn() {
    JsonObject login = Chart.of(FULL).one("TriggerAuthentication", "-worker-tts");
    assertThat(login.get("spec"))
        .isEqualTo(
            JsonParser.parseString(
                """
                {"secretTargetRef": [
                  {"parameter": "token", "name": "keda-reader", "key": "scaler-key"},
                  {"parameter": "ca", "name": "flowsvr-ca", "key": "ca.crt"}]}
                """));
    assertThatThrownBy(() -> Chart.of(FULL, "workers.tts.scaling.key.name="))
        .hasMessageContaining("workers.tts.scaling needs taskType and scaling.key.name");
    assertThatThrownBy(() -> Chart.of(FULL, "networkPolicy.clients=null"))
        .hasMessageContaining("so KEDA cannot reach flowsvr");
  }

  @Test
  void theImageIsTheOneThatIsNamed() throws IOException {
    String version =
        Files.readString(HOME.resolve("pom.xml"))
            .replaceFirst("(?s).*?<artifactId>asyncflow</artifactId>\\s*<version>([^<]+)<.*", "$1");
    assertThat(text(Chart.file("values.yaml"), "image.repository"))
        .as("no image is published")
        .isEmpty();
    assertThat(
            Stream.of(Chart.of(MINIMAL), Chart.of(FULL))
                .map(chart -> text(containerOf(chart.one("Deployment", "-server")), "image")))
        .containsExactly(
            "registry.example.com/asyncflow/flowsvr:" + version,
            "registry.example.com/asyncflow/flowsvr@sha256:"
                + "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef");
  }

  @Test
  void bothWaysToBuildAnImageHaveOneBase() throws IOException {
    String base =
        Files.readString(HOME.resolve("pom.xml"))
            .replaceFirst("(?s).*?<image.base>([^<]+)<.*", "$1");
    assertThat(Files.readAllLines(HOME.resolve("docker/Dockerfile"))).contains("FROM " + base);
  }
}
