package io.asyncflow.flowsvr.compose.store.upkeep;

import io.asyncflow.api.StoreKey;
import io.asyncflow.api.StoredText;
import io.asyncflow.flowsvr.compose.store.ContextStore;
import io.asyncflow.flowsvr.compose.store.StoredObject;
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
 * Finds the objects to which texts refer: those whose keys occur anywhere in them. Texts that are
 * objects themselves are searched, too, because a context may name what an earlier run has stored.
 *
 * <p>A key that is a prefix of a longer one counts as named by it. So an unneeded object may stay,
 * but no needed object is removed.
 */
final class References {

  /** The prefix of names of the SDK's own objects, which are texts. */
  private static final String TEXT = "_";

  /**
   * Some JSON writers escape slashes, once for each level of nested strings. A match begins only
   * where a run of backslashes does, so that none is looked through twice.
   */
  private static final Pattern ESCAPED_SLASH = Pattern.compile("(?<!\\\\)\\\\++/");

  private static final int BUFFER_BYTES = 64 * 1024;

  /** Longer than any key, including escaped slashes. */
  private static final int LONGEST_KEY = 512;

  /** Bytes of stored texts times keys: seconds. A text may have a gigabyte. */
  private static final long MOST_COMPARED = 4L << 30;

  private final ContextStore store;
  private final long mostCompared;

  References(ContextStore store) {
    this(store, MOST_COMPARED);
  }

  References(ContextStore store, long mostCompared) {
    this.store = store;
    this.mostCompared = mostCompared;
  }

  /**
   * The keys that the texts name, directly or through stored texts. Where the stored texts are too
   * long to be compared with the keys, all of these count as named.
   *
   * @throws IOException if a stored text cannot be read, so that its references are unknown
   */
  Set<StoreKey> among(Collection<StoreKey> keys, Collection<String> texts) throws IOException {
    Set<StoreKey> named = new HashSet<>();
    Deque<StoreKey> unread = new ArrayDeque<>();
    for (String text : texts) {
      find(keys, text, named, unread);
      // Read even if it is not among the keys: a listing may lack existing objects.
      StoredText.parse(text)
          .map(StoredText::key)
          .filter(key -> !named.contains(key))
          .ifPresent(unread::add);
    }
    long compared = 0;
    while (!unread.isEmpty()) {
      Optional<StoredObject> stored = store.open(unread.remove());
      if (stored.isPresent()) {
        try (StoredObject text = stored.get()) {
          compared += text.length() * Math.max(1, keys.size());
          if (compared > mostCompared) {
            return Set.copyOf(keys);
          }
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
    int overlap = 0;
    for (int read = text.readNBytes(window, overlap, BUFFER_BYTES);
        read > 0;
        read = text.readNBytes(window, overlap, BUFFER_BYTES)) {
      int length = overlap + read;
      // Keys are ASCII, so the encoding of other bytes does not matter.
      find(keys, new String(window, 0, length, StandardCharsets.ISO_8859_1), named, unread);
      overlap = Math.min(length, LONGEST_KEY);
      System.arraycopy(window, length - overlap, window, 0, overlap);
    }
  }

  private static void find(
      Collection<StoreKey> keys, String text, Set<StoreKey> named, Deque<StoreKey> unread) {
    String plain = ESCAPED_SLASH.matcher(text).replaceAll("/");
    for (StoreKey key : keys) {
      if (!named.contains(key)
          && plain.contains(key.toString())
          && named.add(key)
          && key.name().startsWith(TEXT)) {
        unread.add(key);
      }
    }
  }
}
