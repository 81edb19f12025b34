package io.asyncflow.flowsvr.base.system;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Which types have series of their own: the first {@value #MOST}. All others share the series of
 * the type {@value #OTHERS}, so that sums stay whole. Thread-safe.
 */
public final class TypeSeries {

  private static final Logger log = LoggerFactory.getLogger(TypeSeries.class);

  public static final int MOST = 200;

  /** No type has this name. */
  public static final String OTHERS = "…";

  private static final AtomicBoolean IS_TOLD = new AtomicBoolean();

  private final Set<String> own = ConcurrentHashMap.newKeySet();

  /** The type whose series show what happens to a type. */
  public String of(String type) {
    if (own.contains(type)) {
      return type;
    }
    if (type.equals(OTHERS) || !hasRoom(type)) {
      if (IS_TOLD.compareAndSet(false, true)) {
        log.warn(
            "there are more than {} types: metrics show the others, as {}, as one type {} until the"
                + " next start",
            MOST,
            type,
            OTHERS);
      }
      return OTHERS;
    }
    return type;
  }

  private synchronized boolean hasRoom(String type) {
    if (own.size() < MOST) {
      own.add(type);
    }
    return own.contains(type);
  }
}
