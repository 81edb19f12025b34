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
 * OpenAPI description, which know every field; those of KEDA have no such classes, and every field
 * of them is named here.
 */
class ChartTest {

  private static final String KEDA = "keda.sh/v1alpha1";

  @ParameterizedTest
  @ValueSource(strings = {MINIMAL, FULL})
  void everyObjectFollowsTheSchemaOfItsKind(String values) {
    assertThat(Chart.of(values).objects())
        .filteredOn(object -> !text(object, "apiVersion").equals(KEDA))
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
    Class<?> schema =
        Class.forName("io.kubernetes.client.openapi.models.V1" + text(object, "kind"));
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
        "database.url=mysql://db                 | /database/url",
        "secrets.mysqlPassword.name=             | /secrets/mysqlPassword",
        "secrets.apiKey.name=                    | secrets.apiKey.name is needed",
        "store.claim=                            | store.claim or store.s3.bucket",
        "server.env[0].name=FLOW_MYSQL_PASSWORD  | /server/env/0/name",
        "runAs=0                                 | runAs",
        "workers.tts.replicas=1                  | workers.tts.image is needed",
        "workers.tts.images=x                    | images",
        "podDisruptionBudget.maxUnavailable=0    | maxUnavailable"
      })
  void valuesThatMakeNoSenseAreRefused(String setting, String message) {
    assertThatThrownBy(() -> Chart.of(MINIMAL, setting)).hasMessageContaining(message);
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
  void everySecretIsAFileThatOthersCannotRead() {
    Chart chart = Chart.of(FULL);
    assertThat(variables(chart.one("Deployment", "-server")))
        .contains(
            "FLOW_MYSQL_PASSWORD_FILE=/etc/asyncflow/secrets/mysql-password",
            "FLOW_API_KEY_FILE=/etc/asyncflow/secrets/api-key",
            "FLOW_KEY_PEPPER_FILE=/etc/asyncflow/secrets/key-pepper",
            "FLOW_REDIS_URL_FILE=/etc/asyncflow/secrets/redis-url",
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
                  variable.matches("FLOW_(MYSQL_PASSWORD|API_KEY|KEY_PEPPER|REDIS_URL)=.*"));
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
        .filteredOn(name -> !name.startsWith("AWS_"))
        .allMatch(name -> readme.contains("`" + name + "`") || ofWorkers.contains(name));
  }

  private static List<String> variables(JsonObject deployment) {
    return each(at(containerOf(deployment), "env"))
        .map(variable -> text(variable, "name") + "=" + text(variable, "value"))
        .toList();
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
  void aServerOfManyMayBeTakenAway() {
    assertThat(Chart.of(MINIMAL, "server.replicas=1").all("PodDisruptionBudget")).isEmpty();
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
    assertThat(ports(rules.get(1))).containsExactly("api");
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
    assertThat(ports(rules.get(0))).containsExactly("api");
    List<JsonObject> peers = each(at(rules.get(0), "from")).toList();
    assertThat(peers).hasSize(2);
    assertThat(podsOf(chart, at(peers.get(0), "podSelector").getAsJsonObject()))
        .containsExactlyInAnyOrder("flow-asyncflow-worker-tts", "flow-asyncflow-worker-mail");
    assertThat(peers.get(1).toString()).contains("\"keda\"");
    assertThat(each(at(policy, "spec.egress")).flatMap(rule -> ports(rule).stream()))
        .containsExactly("53", "53", "3306", "6379");
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
        .hasSize(3)
        .allSatisfy(
            deployment ->
                assertThat(podsOf(chart, at(deployment, "spec.selector").getAsJsonObject()))
                    .containsExactly(text(deployment, "metadata.name")));
  }

  @Test
  void aFleetIsScaledByTheTasksOfItsType() {
    Chart chart = Chart.of(FULL);
    JsonObject scaled = chart.one("ScaledObject", "-worker-tts");
    assertThat(chart.all("ScaledObject")).hasSize(1);
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
                 "advanced": {"horizontalPodAutoscalerConfig": {"behavior": {
                   "scaleDown": {"stabilizationWindowSeconds": 300}}}},
                 "triggers": [%s, %s]}
                """
                    .formatted(trigger("due"), trigger("executing"))));
  }

  private static String trigger(String count) {
    return """
        {"type": "metrics-api", "metricType": "AverageValue",
         "metadata": {
           "url": "https://flow-asyncflow-server.jobs.svc:8081/api/stats/overview",
           "valueLocation": "result.types.#(taskType==\\"tts\\").%s.count",
           "targetValue": "8", "authMode": "bearer"},
         "authenticationRef": {"name": "flow-asyncflow-worker-tts"}}
        """
        .formatted(count);
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
  }

  @Test
  void theImageIsTheOneThatIsNamed() throws IOException {
    String version =
        Files.readString(HOME.resolve("pom.xml"))
            .replaceFirst("(?s).*?<artifactId>asyncflow</artifactId>\\s*<version>([^<]+)<.*", "$1");
    assertThat(
            Stream.of(Chart.of(MINIMAL), Chart.of(FULL))
                .map(chart -> text(containerOf(chart.one("Deployment", "-server")), "image")))
        .containsExactly(
            "asyncflow/flowsvr:" + version,
            "registry.example.com/asyncflow/flowsvr@sha256:"
                + "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef");
  }
}
