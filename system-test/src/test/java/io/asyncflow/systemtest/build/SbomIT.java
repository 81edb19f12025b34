package io.asyncflow.systemtest.build;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.DigestInputStream;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** What an executable jar says that it contains: META-INF/sbom/application.cdx.json. */
class SbomIT {

  private static final Path HOME =
      Path.of(System.getProperty("asyncflow.home", "..")).toAbsolutePath().normalize();
  private static final String LIBRARIES = "BOOT-INF/lib/";

  /** Unpacks the jar: the build adds it, and no library needs it. */
  private static final String JARMODE = "spring-boot-jarmode-tools-";

  /** Has no classes, so the build leaves it out. */
  private static final String STARTER = "spring-boot-starter";

  /** Licences that ask for no more than that they are passed on. */
  private static final Set<String> PERMISSIVE =
      Set.of("Apache-2.0", "MIT", "MIT-0", "BSD-2-Clause", "BSD-3-Clause");

  /** Others that allow a whole under the Apache License 2.0. NOTICE names what is under them. */
  private static final Set<String> COMPATIBLE =
      Set.of(
          "BSD-4-Clause",
          "EPL-2.0",
          "The GNU General Public License, v2 with Universal FOSS Exception, v1.0");

  private record Library(String file, String sha256) {}

  @ParameterizedTest
  @ValueSource(strings = {"flowsvr", "worker-example"})
  void listsWhatTheJarContainsToTheByte(String module) throws Exception {
    try (JarFile jar = executableJarOf(module)) {
      List<Library> contained =
          jar.stream()
              .filter(entry -> entry.getName().startsWith(LIBRARIES) && !entry.isDirectory())
              .filter(entry -> !entry.getName().startsWith(LIBRARIES + JARMODE))
              .map(entry -> libraryOf(jar, entry))
              .toList();
      assertThat(contained).isNotEmpty();
      assertThat(required(jar).map(SbomIT::libraryOf))
          .containsExactlyInAnyOrderElementsOf(contained);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"flowsvr", "worker-example"})
  void eachLibraryHasALicenceThatAllowsItsUseHere(String module) throws Exception {
    String notice = Files.readString(HOME.resolve("NOTICE"));
    try (JarFile jar = executableJarOf(module)) {
      assertThat(required(jar))
          .allSatisfy(
              library -> {
                Set<String> licences = licencesOf(library);
                if (licences.stream().noneMatch(PERMISSIVE::contains)) {
                  assertThat(licences).containsAnyElementsOf(COMPATIBLE);
                  assertThat(notice).contains(library.path("group").asString());
                }
              });
    }
  }

  private static Stream<JsonNode> required(JarFile jar) throws IOException {
    String place = jar.getManifest().getMainAttributes().getValue("Sbom-Location");
    assertThat(place).as("the list of libraries of %s", jar.getName()).isNotNull();
    try (InputStream in = jar.getInputStream(jar.getEntry(place))) {
      return new JsonMapper()
          .readTree(in)
          .path("components")
          .valueStream()
          .filter(component -> !component.path("scope").asString("").equals("optional"))
          .filter(component -> !component.path("name").asString().startsWith(STARTER));
    }
  }

  private static Library libraryOf(JsonNode component) {
    String file =
        component.path("name").asString() + "-" + component.path("version").asString() + ".jar";
    String sha256 =
        component
            .path("hashes")
            .valueStream()
            .filter(hash -> hash.path("alg").asString().equals("SHA-256"))
            .map(hash -> hash.path("content").asString())
            .findFirst()
            .orElse("unknown");
    return new Library(file, sha256);
  }

  private static Library libraryOf(JarFile jar, JarEntry entry) {
    try (InputStream in = jar.getInputStream(entry)) {
      MessageDigest sha256 = MessageDigest.getInstance("SHA-256");
      new DigestInputStream(in, sha256).transferTo(OutputStream.nullOutputStream());
      return new Library(
          entry.getName().substring(LIBRARIES.length()), HexFormat.of().formatHex(sha256.digest()));
    } catch (IOException | NoSuchAlgorithmException e) {
      throw new IllegalStateException(entry.getName(), e);
    }
  }

  /** Their ids, or what a library calls them where there is no id. */
  private static Set<String> licencesOf(JsonNode component) {
    Set<String> licences = new TreeSet<>();
    for (JsonNode choice : component.path("licenses")) {
      JsonNode licence = choice.path("license");
      licences.add(licence.path("id").asString(licence.path("name").asString("")));
    }
    return licences;
  }

  private static JarFile executableJarOf(String module) throws IOException {
    assumeFalse(
        System.getProperty("asyncflow.maven", "").equals("offline: true"),
        "Maven makes the lists only without -o");
    try (Stream<Path> built = Files.list(HOME.resolve(module).resolve("target"))) {
      List<Path> jars = built.filter(file -> file.toString().endsWith("-exec.jar")).toList();
      assertThat(jars).hasSize(1);
      return new JarFile(jars.get(0).toFile());
    }
  }
}
