package io.asyncflow.systemtest.python;

import static org.assertj.core.api.Assertions.assertThat;

import io.asyncflow.api.TaskTypeSettings;
import io.asyncflow.systemtest.cluster.Cluster;
import io.asyncflow.systemtest.cluster.ServerNode;
import io.asyncflow.systemtest.cluster.WorkerNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The Python SDK's own tests, and the programs of its README on a real server. */
@Timeout(180)
class PythonSdkIT {

  private static final int SECONDS = 120;

  @TempDir private Path directory;

  @BeforeAll
  static void needPython() throws InterruptedException {
    Python.assumeIsThere(PythonSdkIT.class);
  }

  @Test
  void itsOwnTestsPass() throws Exception {
    String output = run(Python.home(), Map.of(), "-B", "-m", "unittest");
    assertThat(output).containsPattern("Ran [0-9]{2,} tests").contains("\nOK");
  }

  @Test
  void theProgramsOfItsReadmeRun() throws Exception {
    String readme = Files.readString(Python.home().resolve("README.md"));
    List<String> programs =
        Pattern.compile("```python\n(.*?)```", Pattern.DOTALL)
            .matcher(readme)
            .results()
            .map(PythonSdkIT::firstGroup)
            .toList();
    List<String> names =
        Pattern.compile("`(\\w+\\.py)`:")
            .matcher(readme)
            .results()
            .map(PythonSdkIT::firstGroup)
            .toList();
    assertThat(names).hasSameSizeAs(programs).contains("greeter.py", "club.py", "test_greeter.py");
    assertThat(programs.get(names.indexOf("greeter.py")).lines()).hasSizeLessThanOrEqualTo(15);
    for (int i = 0; i < programs.size(); i++) {
      Files.writeString(directory.resolve(names.get(i)), programs.get(i));
    }
    assertThat(run(directory, Map.of(), "-m", "unittest", "test_greeter")).contains("\nOK");
    try (Cluster cluster = Cluster.startWithoutRedis("python-readme")) {
      ServerNode server = cluster.startServers(1).get(0);
      server.client().saveTaskType(TaskTypeSettings.named("hello"));
      Map<String, String> variables =
          Map.of(
              "FLOW_URL", server.url().toString(),
              "FLOW_API_KEY", "",
              "HOME", directory.toString());
      WorkerNode worker =
          cluster.launchProgram(
              "greeter",
              List.of("python3", directory.resolve("greeter.py").toString()),
              with(variables),
              "started");
      worker.awaitReady();
      for (String program : List.of("club.py", "club_async.py")) {
        assertThat(run(directory, variables, program)).as(program).contains("Hello, Grace!");
      }
      worker.terminate();
      assertThat(worker.awaitEnd(Duration.ofSeconds(60))).isTrue();
      assertThat(worker.exitCode()).isZero();
    }
  }

  private static String firstGroup(MatchResult found) {
    return found.group(1);
  }

  private static Map<String, String> with(Map<String, String> variables) {
    Map<String, String> all = new HashMap<>(variables);
    all.put("PYTHONPATH", Python.sdk().toString());
    return all;
  }

  /** What a program prints, errors among it; it must end well. */
  private String run(Path place, Map<String, String> variables, String... arguments)
      throws IOException, InterruptedException {
    Path output = Files.createTempFile(directory, "output", ".txt");
    ProcessBuilder builder = new ProcessBuilder("python3").directory(place.toFile());
    builder.command().addAll(List.of(arguments));
    builder.environment().putAll(with(variables));
    Process process = builder.redirectErrorStream(true).redirectOutput(output.toFile()).start();
    boolean ended = process.waitFor(SECONDS, TimeUnit.SECONDS);
    process.destroyForcibly();
    String printed = Files.readString(output);
    assertThat(ended && process.exitValue() == 0).as(printed).isTrue();
    return printed;
  }
}
