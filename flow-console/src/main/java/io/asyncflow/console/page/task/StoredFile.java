package io.asyncflow.console.page.task;

import io.asyncflow.api.StoreKey;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * An object of a task in the store, as {@code store/list} answers it.
 *
 * @param time epoch ms of its upload
 */
public record StoredFile(String key, long bytes, long time) {

  private static final Pattern AUDIO =
      Pattern.compile(".*\\.(wav|mp3|ogg|oga|opus|flac|m4a|aac|weba)");

  public String name() {
    return key.substring(key.lastIndexOf('/') + 1);
  }

  /** The stage of the run that stored it, as the key spells it. */
  public String stage() {
    Optional<StoreKey> parsed = StoreKey.parse(key);
    return parsed.map(StoreKey::stage).orElse("");
  }

  /**
   * Whether its name promises sound; whether it is some, its first bytes decide when it is played.
   */
  public boolean soundsLikeAudio() {
    return AUDIO.matcher(name().toLowerCase(Locale.ROOT)).matches();
  }
}
