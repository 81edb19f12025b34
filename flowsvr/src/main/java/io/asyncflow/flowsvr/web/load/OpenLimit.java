package io.asyncflow.flowsvr.web.load;

import io.asyncflow.api.ErrorCode;
import io.asyncflow.api.FlowException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import org.springframework.security.core.Authentication;
import org.springframework.security.core.context.SecurityContextHolder;

/** Limits how many requests of a kind are open under one name. Thread-safe. */
public final class OpenLimit {

  private static final Runnable NOTHING = () -> {};

  private final int limit;
  private final String description;
  private final ConcurrentMap<String, Integer> open = new ConcurrentHashMap<>();

  /**
   * @param description the counted requests in the plural, with what has the name, such as {@code
   *     holds of one access key}
   */
  public OpenLimit(int limit, String description) {
    this.limit = limit;
    this.description = description;
  }

  /**
   * Counts a request.
   *
   * @return to be run once, when the request is over
   * @throws FlowException with {@link ErrorCode#LIMIT_EXCEEDED} if the limit of the name is reached
   */
  Runnable enter(String name) {
    if (open.merge(name, 1, Integer::sum) > limit) {
      leave(name);
      throw new FlowException(
          ErrorCode.LIMIT_EXCEEDED,
          "more than " + limit + " " + description + " are open already; end one, or ask later");
    }
    return () -> leave(name);
  }

  private void leave(String name) {
    open.computeIfPresent(name, (same, count) -> count > 1 ? count - 1 : null);
  }

  /**
   * Counts a request under the access key, or the subject of a token, for which this thread works.
   * Other callers have no limit.
   *
   * @return to be run once, when the request is over
   * @throws FlowException with {@link ErrorCode#LIMIT_EXCEEDED} if the limit of the key is reached
   */
  public Runnable enterByKey() {
    String key = key();
    return key == null ? NOTHING : enter(key);
  }

  /** The same under a name that the caller has chosen: of each key, the name is another one. */
  Runnable enterByKeyAnd(String name) {
    String key = key();
    return enter(key == null ? name : key + "\n" + name);
  }

  /** {@code null} where all callers may be the same. */
  private static String key() {
    Authentication caller = SecurityContextHolder.getContext().getAuthentication();
    return caller != null && caller.getCredentials() instanceof String key ? key : null;
  }
}
