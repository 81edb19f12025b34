package io.asyncflow.systemtest.readme;

import static org.assertj.core.api.Assertions.assertThat;

import io.asyncflow.spring.FlowClientProperties;
import io.asyncflow.systemtest.readme.Document.Block;
import io.asyncflow.worker.autoconfigure.WorkerProperties;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.lang.reflect.Field;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.assertj.core.groups.Tuple;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.context.properties.bind.Binder;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** What can be said of the documents without running anything. */
class ReadmeTest {

  private static final Map<String, List<Path>> SOURCES = sources();

  private final Document readme = Document.read("README.md");

  @ParameterizedTest
  @ValueSource(strings = {"README", "docs/schedules", "docs/console"})
  void theTranslationShowsTheSameCode(String name) {
    assertThat(Document.read(name + ".zh-CN.md").blocks())
        .extracting(Block::language, Block::code)
        .containsExactlyElementsOf(
            Document.read(name + ".md").blocks().stream()
                .map(block -> Tuple.tuple(block.language(), block.code()))
                .toList());
  }

  @ParameterizedTest
  @ValueSource(strings = {"README", "docs/schedules", "docs/console"})
  void theTranslationNamesTheSameThings(String name) {
    Document original = Document.read(name + ".md");
    Document chinese = Document.read(name + ".zh-CN.md");
    assertThat(namesIn(chinese)).isEqualTo(namesIn(original));
    assertThat(otherFilesLinkedIn(chinese))
        .containsExactlyElementsOf(
            otherFilesLinkedIn(original).stream().map(ReadmeTest::inChinese).toList());
  }

  /** The translation of a document that has one. */
  private static Path inChinese(Path file) {
    Path translation =
        file.resolveSibling(file.getFileName().toString().replaceFirst("[.]md$", ".zh-CN.md"));
    return Files.exists(translation) ? translation : file;
  }

  /** Without the links between a document and its translation. */
  private static List<Path> otherFilesLinkedIn(Document document) {
    String own = document.file().getFileName().toString().replaceAll("[.].*", ".");
    return document.linkedFiles().stream()
        .filter(file -> !file.getFileName().toString().startsWith(own))
        .toList();
  }

  private static Set<String> namesIn(Document document) {
    return new TreeSet<>(document.all("`([^`\\n]+)`"));
  }

  @Test
  void theWorkerHasFifteenLines() {
    assertThat(readme.text()).contains("## A worker in fifteen lines");
    Block worker =
        readme.blocks().stream().filter(b -> b.language().equals("java")).findFirst().orElseThrow();
    assertThat(worker.code().lines()).hasSize(15);
  }

  @Test
  void everyVariableOfTheServerAndTheExampleIsThere() {
    Set<String> read = new TreeSet<>();
    for (String module : List.of("flowsvr", "worker-example")) {
      read.addAll(
          Document.read(module + "/src/main/resources/application.yml").all("\\$\\{(FLOW_\\w+)"));
    }
    // How a launcher keeps its children: nothing that people set.
    read.remove("FLOW_EXIT_WITH_PARENT");
    // Of every worker.
    read.addAll(
        List.of("FLOW_URL", "FLOW_API_KEY", "FLOW_API_KEY_FILE", "FLOW_CA", "FLOW_REDIS_URL"));
    // Of a server, each beside the variable that it takes the place of.
    read.addAll(
        List.of(
            "FLOW_KEY_PEPPER_FILE",
            "FLOW_MYSQL_PASSWORD_FILE",
            "FLOW_OIDC_CLIENT_SECRET_FILE",
            "FLOW_REDIS_URL_FILE"));
    assertThat(new TreeSet<>(readme.all("`(FLOW_\\w+)`"))).isEqualTo(read);
  }

  @Test
  void everyColumnOfATypeIsThere() {
    String tables = Document.read("db/migration/V1__baseline.sql").text();
    String table = tables.substring(tables.indexOf("CREATE TABLE t_schedule_cfg"));
    List<String> columns =
        new Document(null, table.substring(0, table.indexOf("PRIMARY KEY"))).all("\n  (\\w+) ");
    assertThat(rowsWith(columns)).containsExactlyInAnyOrderElementsOf(columns);
  }

  private List<String> rowsWith(List<String> names) {
    return readme
        .text()
        .lines()
        .filter(line -> line.startsWith("| `"))
        .flatMap(line -> new Document(null, line.split("\\|")[1]).all("`(\\w+)`").stream())
        .filter(names::contains)
        .toList();
  }

  @Test
  void everyPropertyOfAWorkerIsThereWithItsDefault() throws ReflectiveOperationException {
    Set<String> properties = new TreeSet<>();
    WorkerProperties byDefault =
        new Binder().bindOrCreate("asyncflow.worker", WorkerProperties.class);
    for (Field field : WorkerProperties.class.getDeclaredFields()) {
      String name =
          "asyncflow.worker."
              + field.getName().replaceAll("([A-Z])", "-$1").toLowerCase(Locale.ROOT);
      properties.add(name);
      if (field.getType().isPrimitive()) {
        field.setAccessible(true);
        assertThat(readme.text()).contains("| `" + name + "` | `" + field.get(byDefault) + "` |");
      }
    }
    assertThat(new TreeSet<>(readme.all("\\| `(asyncflow\\.worker\\.[a-z-]+)` \\|")))
        .isEqualTo(properties);
  }

  @Test
  void everyPropertyOfAClientIsThereWithItsDefault() throws IOException {
    URL library = FlowClientProperties.class.getProtectionDomain().getCodeSource().getLocation();
    JsonNode described;
    try (URLClassLoader itself = new URLClassLoader(new URL[] {library}, null);
        InputStream in =
            itself.getResourceAsStream("META-INF/spring-configuration-metadata.json")) {
      described = JsonMapper.builder().build().readTree(in);
    }
    Document guide = Document.read("docs/spring-boot.md");
    Set<String> names = new TreeSet<>();
    for (JsonNode property : described.path("properties")) {
      names.add(property.path("name").asString());
      if (property.has("defaultValue")) {
        assertThat(guide.text())
            .contains(
                "| `"
                    + property.path("name").asString()
                    + "` | `"
                    + property.path("defaultValue").asString()
                    + "` |");
      }
    }
    assertThat(new TreeSet<>(guide.all("\\| `(asyncflow\\.client\\.[a-z.-]+)` \\|")))
        .isEqualTo(names);
  }

  @Test
  void everySettingOfSchedulesIsThere() {
    Set<String> read = new TreeSet<>();
    filesBelow(Document.home().resolve("flowsvr/src/main/java"))
        .map(source -> new Document(source, read(source)))
        .forEach(source -> read.addAll(source.all("\\$\\{(flow\\.schedule\\.[a-z-]+)")));
    assertThat(read).isNotEmpty();
    Document schedules = Document.read("docs/schedules.md");
    assertThat(new TreeSet<>(schedules.all("\\| `--(flow\\.schedule\\.[a-z-]+)` \\|")))
        .isEqualTo(read);
  }

  /** Before they ask for their variables. */
  @Test
  void commandsThatNeedVariablesShowTheirHelpWithoutThem() {
    Document script = Document.read("asyncflow");
    assertThat(script.all("\\$command == (\\w+)(?:.*\n){0,2}.*--help"))
        .containsExactlyInAnyOrderElementsOf(script.all("\n  (\\w+)\\)\n    require"));
  }

  @Test
  void everyModuleIsThere() {
    assertThat(readme.all("\n\\| `([a-z/-]+)` \\| "))
        .containsAll(Document.read("pom.xml").all("<module>([^<]+)</module>"));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "README.md",
        "README.zh-CN.md",
        "CHANGELOG.md",
        "CONTRIBUTING.md",
        "SECURITY.md",
        "docs/api.md",
        "docs/architecture.md",
        "docs/console.md",
        "docs/console.zh-CN.md",
        "docs/engines.md",
        "docs/events.md",
        "docs/glossary.md",
        "docs/hooks.md",
        "docs/how-it-works.md",
        "docs/jobs.md",
        "docs/kubernetes.md",
        "docs/operating.md",
        "docs/performance.md",
        "docs/reliability.md",
        "docs/resident-tasks.md",
        "docs/schedules.md",
        "docs/schedules.zh-CN.md",
        "docs/seal.md",
        "docs/spring-boot.md",
        "docs/state-machine.md",
        "docs/threats.md",
        "docs/worker-state-machines.md",
        "clients/python/README.md",
        "security/accepted.md"
      })
  void everyLinkLeadsSomewhere(String document) {
    assertThat(Document.read(document).links())
        .allSatisfy(
            link -> {
              assertThat(link.file()).exists();
              if (!link.anchor().isEmpty()) {
                assertThat(Document.read(link.file().toString()).anchors()).contains(link.anchor());
              }
            });
  }

  /** A class that was renamed must not live on in prose. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "docs/api.md",
        "docs/architecture.md",
        "docs/glossary.md",
        "docs/how-it-works.md",
        "docs/jobs.md",
        "docs/operating.md",
        "docs/reliability.md",
        "docs/schedules.md",
        "docs/seal.md",
        "docs/spring-boot.md",
        "docs/state-machine.md",
        "docs/threats.md"
      })
  void everyClassThatIsNamedExists(String document) {
    Document prose = Document.read(document);
    String alerts = read(Document.home().resolve("deploy/helm/asyncflow/monitoring/alerts.yml"));
    for (String name :
        new TreeSet<>(prose.all("`([A-Z][a-z]+(?:[A-Z][a-z]+)+(?:IT)?(?:\\.\\w+)?)`"))) {
      if (alerts.contains("alert: " + name + "\n")) {
        continue;
      }
      String[] parts = name.split("\\.");
      List<String> sources = sourcesOf(parts[0]);
      assertThat(sources).as(name).isNotEmpty();
      if (parts.length > 1) {
        assertThat(sources).as(name).anySatisfy(source -> assertThat(source).contains(parts[1]));
      }
    }
  }

  private static List<String> sourcesOf(String className) {
    return SOURCES.getOrDefault(className + ".java", List.of()).stream()
        .map(ReadmeTest::read)
        .toList();
  }

  /** Of all modules, tests among them, by their names. */
  private static Map<String, List<Path>> sources() {
    try (Stream<Path> modules = Files.list(Document.home())) {
      return modules
          .map(module -> module.resolve("src"))
          .filter(Files::isDirectory)
          .flatMap(ReadmeTest::filesBelow)
          .collect(Collectors.groupingBy(file -> file.getFileName().toString()));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static Stream<Path> filesBelow(Path directory) {
    try (Stream<Path> files = Files.walk(directory)) {
      return files.filter(Files::isRegularFile).toList().stream();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static String read(Path file) {
    try {
      return Files.readString(file, StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
