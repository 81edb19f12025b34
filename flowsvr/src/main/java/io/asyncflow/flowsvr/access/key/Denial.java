package io.asyncflow.flowsvr.access.key;

import io.asyncflow.rules.access.KeySeals;
import java.util.Arrays;
import java.util.List;

/**
 * A row of {@code t_access_denied}, as it was read: its caller is refused although its tokens are
 * good. Immutable.
 *
 * @param until epoch ms
 * @param seal {@code null} if it has none
 */
record Denial(String principal, long until, byte[] seal) {

  private static final long NO_END = Long.MAX_VALUE;

  /** What the seal covers. */
  List<Object> sealed() {
    return Arrays.asList("denied", principal, until);
  }

  boolean isGood(KeySeals seals) {
    return seals.isGood(sealed(), seal);
  }

  /**
   * When it ends, epoch ms; without a good seal never: whoever can only write the table lets nobody
   * in by it.
   */
  long end(KeySeals seals) {
    return isGood(seals) ? until : NO_END;
  }
}
