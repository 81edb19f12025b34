package io.asyncflow.example.tts;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/**
 * Selects the engine by {@code example.tts.engine}: {@code auto}, the default, uses FreeTTS for
 * English and, if installed, espeak-ng for other languages; {@code espeak-ng} and {@code freetts}
 * select that engine.
 *
 * <p>Several workers speak a text: a worker without espeak-ng fails passages in other languages,
 * which another worker retries.
 */
@Configuration(proxyBeanMethods = false)
class SpeechEngines {

  private static final Logger log = LoggerFactory.getLogger(SpeechEngines.class);

  /**
   * @param voice the voice of espeak-ng for texts whose letters do not determine a language
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
