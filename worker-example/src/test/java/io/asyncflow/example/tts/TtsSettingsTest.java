package io.asyncflow.example.tts;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.test.context.ConfigDataApplicationContextInitializer;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.util.unit.DataSize;

class TtsSettingsTest {

  @EnableConfigurationProperties(TtsSettings.class)
  static class Settings {}

  private final ApplicationContextRunner context =
      new ApplicationContextRunner()
          .withInitializer(new ConfigDataApplicationContextInitializer())
          .withUserConfiguration(Settings.class);

  @Test
  void directoriesLieUnderTheWorkingDirectoryByDefault() {
    context.run(
        started ->
            assertThat(started.getBean(TtsSettings.class))
                .isEqualTo(
                    new TtsSettings(
                        Path.of("tts/in"),
                        Path.of("tts/out"),
                        DataSize.ofMegabytes(1),
                        400,
                        4,
                        Duration.ofMillis(400))));
  }

  @Test
  void directoriesAreMovedByTheEnvironment() {
    context
        .withPropertyValues("FLOW_TTS_DIR=/data/tts", "FLOW_TTS_OUTPUT_DIR=/speech")
        .run(
            started -> {
              TtsSettings settings = started.getBean(TtsSettings.class);
              assertThat(settings.inputDir()).isEqualTo(Path.of("/data/tts/in"));
              assertThat(settings.outputDir()).isEqualTo(Path.of("/speech"));
            });
  }

  @ParameterizedTest
  @CsvSource({
    "max-text, 0B, 1B to 100MB",
    "max-text, 2GB, 1B to 100MB",
    "passage-length, 0, 20 to 10000",
    "passages-per-run, 0, 1 to 1000",
    "pause, -1s, 0s to 60s",
  })
  void aValueOutOfRangeIsToldAtStart(String property, String value, String range) {
    context
        .withPropertyValues("example.tts." + property + "=" + value)
        .run(
            failed ->
                assertThat(failed.getStartupFailure())
                    .hasRootCauseMessage("example.tts." + property + " must be " + range + "."));
  }
}
