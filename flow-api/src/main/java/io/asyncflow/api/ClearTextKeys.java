package io.asyncflow.api;

import java.net.URI;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Pattern;

/** Warns, once for each server, that a key is sent over a network without TLS. */
final class ClearTextKeys {

  /** The JDK's, because this module has no logging library. */
  private static final System.Logger LOG = System.getLogger(HttpFlowClient.class.getName());

  private static final Pattern LOOPBACK =
      Pattern.compile("(.+\\.)?localhost|127(\\.[0-9]{1,3}){3}|\\[::1]", Pattern.CASE_INSENSITIVE);

  private static final Set<String> WARNED = ConcurrentHashMap.newKeySet();

  private final String place;
  private final boolean isExposed;

  private ClearTextKeys(String place, boolean isExposed) {
    this.place = place;
    this.isExposed = isExposed;
  }

  static ClearTextKeys sentTo(URI server) {
    boolean isExposed =
        "http".equalsIgnoreCase(server.getScheme())
            && !LOOPBACK.matcher(server.getHost()).matches();
    String port = server.getPort() < 0 ? "" : ":" + server.getPort();
    return new ClearTextKeys(server.getHost() + port, isExposed);
  }

  /** Called with each key that is sent. */
  void warn() {
    if (isExposed && WARNED.add(place)) {
      LOG.log(
          System.Logger.Level.WARNING,
          "the key is sent to {0} without TLS, so the network can read it: use an https URL",
          place);
    }
  }
}
