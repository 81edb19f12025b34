package io.asyncflow.systemtest.readme;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What {@code ./asyncflow} answers by itself, without a build. */
class CommandLineIT {

  private static Command.Done asyncflow(String argument) {
    String script = Document.home().resolve("asyncflow").toString();
    return Command.run(List.of(script, argument), Map.of(), 30);
  }

  @Test
  void theVersionIsThatOfThePom() {
    String version = Document.read("pom.xml").all("\n  <version>([^<]+)</version>").get(0);
    assertThat(asyncflow("--version")).isEqualTo(new Command.Done(0, "asyncflow " + version));
  }

  /** A worker would begin to take tasks. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "list",
        "--url http://127.0.0.1:1 list",
        "--url=http://127.0.0.1:1 list",
        "--help"
      })
  void wordBehindWorkerIsACommandWhereverItStands(String words, @TempDir Path java)
      throws IOException {
    Path program = Files.createDirectories(java.resolve("bin")).resolve("java");
    Files.writeString(
        program,
        """
        #!/bin/sh
        echo "    java.specification.version = 17"
        echo "    java.home = %s"
        echo "$@"
        """
            .formatted(java));
    assertThat(program.toFile().setExecutable(true)).isTrue();
    String script = Document.home().resolve("asyncflow").toString();
    Command.Done done =
        Command.run(
            Stream.concat(Stream.of(script, "worker"), Stream.of(words.split(" "))).toList(),
            Map.of("JAVA_HOME", java.toString(), "FLOW_URL", ""),
            30);
    // Where nothing is built, the program in the place of Java has no compiler.
    assertThat(done.output())
        .containsAnyOf("DevLauncher worker " + words, "Building Asyncflow needs a JDK")
        .doesNotContain("Set FLOW_URL first");
  }

  @Test
  void workerWithOptionsAloneIsTheExampleWorker() {
    String script = Document.home().resolve("asyncflow").toString();
    Command.Done done =
        Command.run(List.of(script, "worker", "--server.port=0"), Map.of("FLOW_URL", ""), 30);
    assertThat(done.exitCode()).isEqualTo(1);
    assertThat(done.output()).startsWith("asyncflow: Set FLOW_URL first");
  }

  @Test
  void whatIsNotUnderstoodIsNamedAndTheUsageShown() {
    Command.Done done = asyncflow("--foo");
    assertThat(done.exitCode()).isEqualTo(2);
    assertThat(done.output())
        .startsWith("asyncflow: there is no command --foo.\n")
        .contains("Usage: ./asyncflow COMMAND", "--version");
  }
}
