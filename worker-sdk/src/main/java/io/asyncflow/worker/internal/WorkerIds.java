package io.asyncflow.worker.internal;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.Locale;
import java.util.concurrent.ThreadLocalRandom;

/** Ids of worker processes. */
public final class WorkerIds {

  private static final int LONGEST = 64;

  private WorkerIds() {}

  /**
   * A new id of host, process id and a random part, at most 64 characters. It is new at each call,
   * because tasks of an earlier process must not be attributed to this one.
   */
  public static String next() {
    String tail =
        "-"
            + ProcessHandle.current().pid()
            + "-"
            + String.format(Locale.ROOT, "%08x", ThreadLocalRandom.current().nextInt());
    String host = host().replaceAll("[^A-Za-z0-9._-]", "_");
    return host.substring(0, Math.min(host.length(), LONGEST - tail.length())) + tail;
  }

  /** The name of this machine; "worker" if it has none. */
  static String host() {
    try {
      return InetAddress.getLocalHost().getHostName();
    } catch (UnknownHostException e) {
      return "worker";
    }
  }
}
