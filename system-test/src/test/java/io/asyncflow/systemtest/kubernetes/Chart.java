package io.asyncflow.systemtest.kubernetes;

import com.google.gson.Gson;
import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.marcnuri.helm.Helm;
import com.marcnuri.helm.TemplateCommand;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.Yaml;
import org.yaml.snakeyaml.constructor.SafeConstructor;

/** What {@code helm template} makes of the chart; the library contains Helm itself. */
record Chart(List<JsonObject> objects) {

  static final String RELEASE = "flow";
  static final String NAMESPACE = "jobs";
  static final String MINIMAL = "minimal";
  static final String FULL = "full";

  /** The oldest version of Kubernetes that has all that the chart uses. */
  private static final String OLDEST_KUBERNETES = "1.30.0";

  /** The checkout. */
  static final Path HOME =
      Path.of(System.getProperty("asyncflow.home", "..")).toAbsolutePath().normalize();

  private static final Path DIRECTORY = HOME.resolve("deploy").resolve("helm").resolve("asyncflow");

  /**
   * Renders it.
   *
   * @param values the name of a file in {@code ci}
   * @param settings as {@code --set} takes them, {@code name=value}
   * @throws IllegalStateException with Helm's message if the chart refuses them
   */
  static Chart of(String values, String... settings) {
    return rendered(OLDEST_KUBERNETES, values, settings);
  }

  /** Renders it for a cluster of another version. */
  static Chart rendered(String kubernetes, String values, String... settings) {
    TemplateCommand template =
        new Helm(DIRECTORY)
            .template()
            .withName(RELEASE)
            .withNamespace(NAMESPACE)
            .withKubeVersion(kubernetes)
            .withValuesFile(DIRECTORY.resolve("ci").resolve(values + "-values.yaml"));
    for (String setting : settings) {
      String[] parts = setting.split("=", 2);
      template.set(parts[0], parts[1]);
    }
    return new Chart(
        read(template.call())
            .filter(JsonElement::isJsonObject)
            .map(JsonElement::getAsJsonObject)
            .toList());
  }

  /** A file of the chart, in YAML or JSON. */
  static JsonObject file(String name) throws IOException {
    return read(Files.readString(DIRECTORY.resolve(name))).findFirst().get().getAsJsonObject();
  }

  /** The documents of a text in YAML 1.1, as Kubernetes reads it. */
  private static Stream<JsonElement> read(String yaml) {
    List<JsonElement> documents = new ArrayList<>();
    new Yaml(new SafeConstructor(new LoaderOptions()))
        .loadAll(yaml)
        .forEach(document -> documents.add(new Gson().toJsonTree(document)));
    return documents.stream();
  }

  List<JsonObject> all(String kind) {
    return objects.stream().filter(object -> kind.equals(text(object, "kind"))).toList();
  }

  /** The only object of its kind whose name ends so. */
  JsonObject one(String kind, String nameEnd) {
    List<JsonObject> found =
        all(kind).stream()
            .filter(object -> text(object, "metadata.name").endsWith(nameEnd))
            .toList();
    if (found.size() != 1) {
      throw new AssertionError(found.size() + " objects " + kind + " …" + nameEnd);
    }
    return found.get(0);
  }

  static JsonObject containerOf(JsonObject deployment) {
    return at(deployment, "spec.template.spec.containers")
        .getAsJsonArray()
        .get(0)
        .getAsJsonObject();
  }

  /** What lies under members of members; fails where one is missing. */
  static JsonElement at(JsonObject object, String path) {
    JsonElement found = object;
    for (String member : path.split("[.]")) {
      found = found.getAsJsonObject().get(member);
      if (found == null) {
        throw new AssertionError("no " + path + " in " + object);
      }
    }
    return found;
  }

  static String text(JsonObject object, String path) {
    return at(object, path).getAsString();
  }

  static Stream<JsonObject> each(JsonElement array) {
    JsonArray elements = array.getAsJsonArray();
    return Arrays.stream(elements.asList().toArray(JsonElement[]::new))
        .map(JsonElement::getAsJsonObject);
  }
}
