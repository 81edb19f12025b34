package io.asyncflow.systemtest.readme;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

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

  @Test
  void whatIsNotUnderstoodIsNamedAndTheUsageShown() {
    Command.Done done = asyncflow("--foo");
    assertThat(done.exitCode()).isEqualTo(2);
    assertThat(done.output())
        .startsWith("asyncflow: there is no command --foo.\n")
        .contains("Usage: ./asyncflow COMMAND", "--version");
  }
}
