package io.asyncflow.dev;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.MessageDigest;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * {@code ./mvnw} on a machine without {@code unzip}, as most containers with a JDK are: it fetches
 * another archive there, which has another checksum. Maven is a script of this test, and {@code
 * wget} copies it.
 */
class MavenWrapperTest {
  private static final Path ROOT = Path.of("..");
  private static final Path PROPERTIES = Path.of(".mvn", "wrapper", "maven-wrapper.properties");

  @TempDir Path directory;
  private Path programs;
  private Path archive;

  /** What a run printed, both streams. */
  private record Run(int status, String output) {}

  @BeforeEach
  void aMachineWithoutUnzip() throws Exception {
    programs = Files.createDirectory(directory.resolve("programs"));
    for (String name :
        List.of(
            "basename",
            "cat",
            "cp",
            "dirname",
            "env",
            "grep",
            "gzip",
            "ls",
            "mkdir",
            "mktemp",
            "mv",
            "rm",
            "sh",
            "sha256sum",
            "tar",
            "tr",
            "uname")) {
      script(programs.resolve(name), "exec " + programNamed(name) + " \"$@\"");
    }
    Path maven = Files.createDirectories(directory.resolve("apache-maven-1.0/bin")).resolve("mvn");
    script(maven, "echo Maven runs");
    archive = directory.resolve("apache-maven-1.0-bin.tar.gz");
    assertThat(run("tar", "czf", archive.toString(), "apache-maven-1.0").status()).isZero();
    script(programs.resolve("wget"), "case $* in *.tar.gz*) cp " + archive + " \"$4\";; esac");
    Files.copy(ROOT.resolve("mvnw"), directory.resolve("mvnw"), StandardCopyOption.COPY_ATTRIBUTES);
  }

  @Test
  void archiveThatIsFetchedWithoutUnzipIsCheckedByItsOwnSum() throws Exception {
    properties("0".repeat(64), sumOf(archive));

    assertThat(run("./mvnw", "-v")).isEqualTo(new Run(0, "Maven runs\n"));
  }

  @Test
  void archiveOfAnotherSumIsRefused() throws Exception {
    properties(sumOf(archive), "0".repeat(64));

    Run run = run("./mvnw", "-v");
    assertThat(run.status()).isEqualTo(1);
    assertThat(run.output()).contains("Failed to validate Maven distribution SHA-256");
  }

  @Test
  void projectHasTheSumsOfBothArchives() throws IOException {
    assertThat(Files.readString(ROOT.resolve(PROPERTIES)))
        .containsPattern("(?m)^distributionUrl=https://.*-bin\\.zip$")
        .containsPattern("(?m)^distributionSha256Sum=[0-9a-f]{64}$")
        .containsPattern("(?m)^distributionTarGzSha256Sum=[0-9a-f]{64}$");
  }

  private void properties(String zipSum, String tarSum) throws IOException {
    Files.createDirectories(directory.resolve(PROPERTIES).getParent());
    Files.writeString(
        directory.resolve(PROPERTIES),
        """
        distributionUrl=https://maven.invalid/apache-maven-1.0-bin.zip
        distributionSha256Sum=%s
        distributionTarGzSha256Sum=%s
        """
            .formatted(zipSum, tarSum));
  }

  private static String sumOf(Path file) throws Exception {
    byte[] digest = MessageDigest.getInstance("SHA-256").digest(Files.readAllBytes(file));
    return HexFormat.of().formatHex(digest);
  }

  private static Path programNamed(String name) {
    return List.of("/usr/bin", "/bin").stream()
        .map(bin -> Path.of(bin, name))
        .filter(Files::isExecutable)
        .findFirst()
        .orElseThrow();
  }

  private static void script(Path file, String commands) throws IOException {
    Files.writeString(file, "#!/bin/sh\n" + commands + "\n");
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwxr-xr-x"));
  }

  private Run run(String... command) throws Exception {
    ProcessBuilder builder = new ProcessBuilder(command);
    builder.directory(directory.toFile()).redirectErrorStream(true);
    Map<String, String> environment = builder.environment();
    environment.clear();
    environment.put("PATH", programs.toString());
    environment.put("HOME", directory.toString());
    environment.put("JAVA_HOME", System.getProperty("java.home"));
    Process process = builder.start();
    String output = new String(process.getInputStream().readAllBytes(), UTF_8);
    return new Run(process.waitFor(), output);
  }
}
