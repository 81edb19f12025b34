package io.asyncflow.worker;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ChildProgramsTest {

  @Test
  void aChildPrintsNothingOfTheEnvironmentButTheList() throws Exception {
    Set<String> ours = System.getenv().keySet();
    assertThat(ours).as("else this test sees nothing").anyMatch(n -> !ChildPrograms.isPassedOn(n));

    Process env = ChildPrograms.of("env").start();
    List<String> names =
        new String(env.getInputStream().readAllBytes(), StandardCharsets.UTF_8)
            .lines()
            .map(line -> line.replaceAll("=.*", ""))
            .toList();

    assertThat(names)
        .contains("PATH")
        .containsExactlyInAnyOrderElementsOf(
            ours.stream().filter(ChildPrograms::isPassedOn).toList());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "PATH",
        "LD_LIBRARY_PATH",
        "HOME",
        "TMPDIR",
        "LANG",
        "TZ",
        "LC_ALL",
        "CUDA_HOME",
        "NVIDIA_VISIBLE_DEVICES",
        "PYTHONPATH",
        "HF_HOME"
      })
  void whatAProgramNeedsIsPassedOn(String variable) {
    assertThat(ChildPrograms.isPassedOn(variable)).isTrue();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "FLOW_API_KEY",
        "ASYNCFLOW_WORKER_API_KEY",
        "SPRING_DATASOURCE_PASSWORD",
        "HF_TOKEN",
        "AWS_SECRET_ACCESS_KEY",
        "LD_PRELOAD",
        "HTTPS_PROXY",
        "MY_PATH",
        "PATHS",
        ""
      })
  void nothingElseIs(String variable) {
    assertThat(ChildPrograms.isPassedOn(variable)).isFalse();
  }
}
