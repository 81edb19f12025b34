package io.asyncflow.flowsvr.store;

import io.asyncflow.api.StoreKey;
import io.asyncflow.api.StoredText;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Deque;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * Finds which objects texts refer to: those whose keys stand in them, wherever. A text that lies in
 * the store itself is looked into as well, since it may be a context that names what an earlier run
 * has stored.
 *
 * <p>A key that is the beginning of a longer one counts as named by it. So an object may stay that
 * nobody needs; none goes that somebody does.
 */
final class References {

  /** Names of the SDK's own objects begin so: its texts. */
  private static final String TEXT = "_";

  /** As some writers of JSON have it, once for each text that the text is in. */
  private static final Pattern ESCAPED_SLASH = Pattern.compile("\\\\+/");

  private static final int BUFFER_BYTES = 64 * 1024;

  /** More than a key has, with each slash escaped. */
  private static final int LONGEST_KEY = 512;

  private final ContextStore store;

  References(ContextStore store) {
    this.store = store;
  }

  /**
   * Those of the keys that the texts name, and the stored texts that these name.
   *
   * @throws IOException if a stored text cannot be read, so that nobody knows
   */
  Set<StoreKey> among(Collection<StoreKey> keys, Collection<String> texts) throws IOException {
    Set<StoreKey> named = new HashSet<>();
    Deque<StoreKey> unread = new ArrayDeque<>();
    for (String text : texts) {
      find(keys, text, named, unread);
      // Read whether or not it is among them: a list may lack what is there.
      StoredText.parse(text)
          .map(StoredText::key)
          .filter(key -> !named.contains(key))
          .ifPresent(unread::add);
    }
    while (!unread.isEmpty()) {
      Optional<StoredObject> stored = store.open(unread.remove());
      if (stored.isPresent()) {
        try (StoredObject text = stored.get()) {
          find(keys, text.content(), named, unread);
        }
      }
    }
    return named;
  }

  private static void find(
      Collection<StoreKey> keys, InputStream text, Set<StoreKey> named, Deque<StoreKey> unread)
      throws IOException {
    byte[] window = new byte[LONGEST_KEY + BUFFER_BYTES];
    int kept = 0;
    for (int read = text.readNBytes(window, kept, BUFFER_BYTES);
        read > 0;
        read = text.readNBytes(window, kept, BUFFER_BYTES)) {
      int length = kept + read;
      // Keys are ASCII, so what the other bytes mean does not matter.
      find(keys, new String(window, 0, length, StandardCharsets.ISO_8859_1), named, unread);
      kept = Math.min(length, LONGEST_KEY);
      System.arraycopy(window, length - kept, window, 0, kept);
    }
  }

  private static void find(
      Collection<StoreKey> keys, String text, Set<StoreKey> named, Deque<StoreKey> unread) {
    String plain = ESCAPED_SLASH.matcher(text).replaceAll("/");
    for (StoreKey key : keys) {
      if (plain.contains(key.toString()) && named.add(key) && key.name().startsWith(TEXT)) {
        unread.add(key);
      }
    }
  }
}
