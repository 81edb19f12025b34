package io.asyncflow.systemtest.cluster;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.concurrent.ThreadLocalRandom;

/** Ports for servers that are killed and come back to the same one. */
public final class LoopbackPort {

  static final String HOST = "127.0.0.1";

  // Below the range from which the system gives outgoing connections their ports: one of those must
  // not sit on the port of a server that is down for a moment.
  private static final int FIRST = 20_000;
  private static final int LAST = 32_000;
  private static final int ATTEMPTS = 100;

  private LoopbackPort() {}

  /** A free port. */
  public static int free() {
    for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
      int port = ThreadLocalRandom.current().nextInt(FIRST, LAST);
      if (isFree(port)) {
        return port;
      }
    }
    throw new IllegalStateException("no free port between " + FIRST + " and " + LAST);
  }

  private static boolean isFree(int port) {
    try (ServerSocket socket = new ServerSocket(port, 1, InetAddress.getByName(HOST))) {
      return true;
    } catch (IOException e) {
      return false;
    }
  }
}
