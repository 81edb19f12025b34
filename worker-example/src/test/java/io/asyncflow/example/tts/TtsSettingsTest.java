package io.asyncflow.example.tts;

import static org.assertj.core.api.Assertions.assertThat;

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
  void everySettingHasADefault() {
    context.run(
        started ->
            assertThat(started.getBean(TtsSettings.class))
                .isEqualTo(
                    new TtsSettings(DataSize.ofKilobytes(512), 600, Duration.ofMillis(400))));
  }

  @ParameterizedTest
  @CsvSource({
    "max-text, 0B, 1B to 16MB",
    "max-text, 17MB, 1B to 16MB",
    "passage-length, 0, 20 to 650",
    "passage-length, 651, 20 to 650",
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
