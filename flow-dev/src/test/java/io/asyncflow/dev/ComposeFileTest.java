package io.asyncflow.dev;

import static org.assertj.core.api.Assertions.assertThat;

import com.networknt.schema.InputFormat;
import com.networknt.schema.Schema;
import com.networknt.schema.SchemaRegistry;
import com.networknt.schema.SpecificationVersion;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;
import tools.jackson.dataformat.yaml.YAMLMapper;

/**
 * Checks docker-compose.yml against the schema of the Compose Specification, as far as that goes:
 * no image is pulled and nothing is started.
 */
class ComposeFileTest {
  private static final Path FILE = Path.of("..", "docker-compose.yml");
  private static final Path DOCKERFILE = Path.of("..", "docker", "Dockerfile");

  @Test
  void fileFollowsTheComposeSpecification() throws IOException {
    assertThat(schema().validate(Files.readString(FILE), InputFormat.YAML)).isEmpty();
  }

  @Test
  void misspeltKeyIsFound() throws IOException {
    String misspelt = Files.readString(FILE).replace("healthcheck:", "healtcheck:");
    assertThat(schema().validate(misspelt, InputFormat.YAML)).isNotEmpty();
  }

  @Test
  void everySecretComesFromTheEnvironment() throws IOException {
    for (JsonNode service : compose().path("services")) {
      for (Map.Entry<String, JsonNode> variable : service.path("environment").properties()) {
        if (variable.getKey().matches(".*(PASSWORD|KEY)")) {
          assertThat(variable.getValue().asString()).startsWith("${").contains(":?");
        }
      }
    }
  }

  /** What it runs could read the key for everything in its environment. */
  @Test
  void workerHasAKeyOfItsOwn() throws IOException {
    JsonNode services = compose().path("services");
    JsonNode ofServer = services.path("flowsvr").path("environment");
    assertThat(ofServer.path("FLOW_ACCESS").asString()).isEqualTo("keys");
    assertThat(services.path("worker").path("environment").path("FLOW_API_KEY").asString())
        .startsWith("${FLOW_WORKER_KEY")
        .isNotEqualTo(ofServer.path("FLOW_API_KEY").asString());
  }

  @Test
  void nothingIsPublishedBeyondLoopback() throws IOException {
    for (JsonNode service : compose().path("services")) {
      for (JsonNode port : service.path("ports")) {
        assertThat(port.asString()).startsWith("127.0.0.1:");
      }
    }
  }

  @Test
  void everythingThatServesOthersHasAHealthcheck() throws IOException {
    for (String server : List.of("mysql", "valkey", "flowsvr")) {
      assertThat(compose().path("services").path(server).has("healthcheck")).as(server).isTrue();
    }
  }

  @Test
  void everyImageIsNamedByItsDigest() throws IOException {
    List<String> images = new ArrayList<>();
    for (JsonNode service : compose().path("services")) {
      if (!service.has("build")) {
        images.add(service.path("image").asString());
      }
    }
    for (String line : Files.readAllLines(DOCKERFILE)) {
      if (line.startsWith("FROM ")) {
        images.add(line.split(" ")[1]);
      }
    }
    assertThat(images).hasSize(4).allMatch(image -> image.matches(".+:.+@sha256:[0-9a-f]{64}"));
  }

  @Test
  void noContainerCanDoMoreThanItNeeds() throws IOException {
    assertThat(compose().path("services"))
        .allSatisfy(
            service -> {
              assertThat(service.path("read_only").asBoolean()).isTrue();
              assertThat(service.path("cap_drop").path(0).asString()).isEqualTo("ALL");
              assertThat(service.path("security_opt").path(0).asString())
                  .isEqualTo("no-new-privileges:true");
            });
  }

  @Test
  void workerReachesFlowsvrAndNoDatabase() throws IOException {
    Set<String> worker = networksOf("worker");
    assertThat(worker).isNotEmpty();
    assertThat(networksOf("flowsvr")).containsAll(worker);
    for (String database : List.of("mysql", "valkey")) {
      assertThat(networksOf(database)).isNotEmpty().doesNotContainAnyElementsOf(worker);
    }
  }

  private static Set<String> networksOf(String service) throws IOException {
    Set<String> networks = new HashSet<>();
    compose()
        .path("services")
        .path(service)
        .path("networks")
        .forEach(network -> networks.add(network.asString()));
    return networks;
  }

  private static JsonNode compose() throws IOException {
    return new YAMLMapper().readTree(Files.readString(FILE));
  }

  private static Schema schema() throws IOException {
    try (InputStream text =
        ComposeFileTest.class.getResourceAsStream("/compose-spec/compose-spec.json")) {
      ObjectNode schema = (ObjectNode) new JsonMapper().readTree(text);
      // It names a dialect that does not exist, keeps to the keywords of draft 7, has the ids of an
      // older draft, to which nothing refers, and calls "5s" a duration, which is Go's and not
      // ISO's.
      schema.remove("$schema");
      removeKeyword(schema, "id");
      removeKeyword(schema, "format");
      return SchemaRegistry.withDefaultDialect(SpecificationVersion.DRAFT_7).getSchema(schema);
    }
  }

  // A property that happens to have the keyword's name is an object, and stays.
  private static void removeKeyword(ObjectNode schema, String keyword) {
    schema.findParents(keyword).stream()
        .filter(parent -> parent.path(keyword).isString())
        .forEach(parent -> ((ObjectNode) parent).remove(keyword));
  }
}
