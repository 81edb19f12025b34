package io.asyncflow.example.tts;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/**
 * Which engine speaks, by {@code example.tts.engine}: {@code auto}, the default, is FreeTTS for
 * English and, where it is installed, espeak-ng for the rest; {@code espeak-ng} and {@code freetts}
 * are what they say.
 *
 * <p>A text is spoken by several workers: one that has no espeak-ng gives other languages up, and
 * another has to try.
 */
@Configuration(proxyBeanMethods = false)
class SpeechEngines {

  private static final Logger log = LoggerFactory.getLogger(SpeechEngines.class);

  /**
   * @param voice of espeak-ng, for texts whose letters do not tell their language
   */
  @Bean
  SpeechEngine speechEngine(
      @Value("${example.tts.engine:auto}") String engine,
      @Value("${example.tts.voice:en-us}") String voice) {
    SpeechEngine chosen = chosen(engine, voice);
    log.info("tts speaks with {}", chosen);
    return chosen;
  }

  private static SpeechEngine chosen(String engine, String voice) {
    return switch (engine) {
      case "auto" ->
          EspeakEngine.isInstalled()
              ? new TwoEngines(new FreeTtsEngine(), new EspeakEngine(voice))
              : new FreeTtsEngine();
      case "espeak-ng" -> new EspeakEngine(voice);
      case "freetts" -> new FreeTtsEngine();
      default ->
          throw new IllegalArgumentException(
              "example.tts.engine must be auto, espeak-ng or freetts, not " + engine + ".");
    };
  }
}
