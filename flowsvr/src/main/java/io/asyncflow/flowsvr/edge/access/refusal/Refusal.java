package io.asyncflow.flowsvr.edge.access.refusal;

import io.asyncflow.api.ErrorCode;
import java.util.Optional;

/** Why a request was refused before anything was done. */
public enum Refusal {
  NO_KEY("no-key", "without a valid key"),
  KEY_ENDED("key-ended", "with a key that is not valid now"),
  VERB("verb", "without the verb"),
  SCOPE("scope", "outside of the key's scope"),
  SITE("site", "by pages of other sites or for another host");

  private final String tag;
  private final String words;

  Refusal(String tag, String words) {
    this.tag = tag;
    this.words = words;
  }

  String tag() {
    return tag;
  }

  String words() {
    return words;
  }

  /** Of a caller that is known, or that needs no key; empty if the code is no refusal of these. */
  static Optional<Refusal> of(ErrorCode code) {
    if (code == null) {
      return Optional.empty();
    }
    return switch (code) {
      case VERB_MISSING -> Optional.of(VERB);
      case OUT_OF_SCOPE -> Optional.of(SCOPE);
      case CROSS_SITE -> Optional.of(SITE);
      default -> Optional.empty();
    };
  }
}
