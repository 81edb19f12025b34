package io.asyncflow.dev.host;

import io.asyncflow.dev.DevException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.ThreadLocalRandom;

/** TCP ports on 127.0.0.1. */
public final class LoopbackPort {
  public static final String HOST = "127.0.0.1";
  private static final int CONNECT_MILLIS = 500;

  // Below the range from which the system gives outgoing connections their ports: one of those must
  // not sit on the port of a server that is down for a moment.
  private static final int FIRST = 20_000;
  private static final int LAST = 32_000;
  private static final int ATTEMPTS = 100;

  private LoopbackPort() {}

  /** A port that is free now; another process may take it before the caller does. */
  public static int free() {
    return ThreadLocalRandom.current()
        .ints(ATTEMPTS, FIRST, LAST)
        .filter(LoopbackPort::isFree)
        .findFirst()
        .orElseThrow(() -> new DevException("There is no free TCP port on " + HOST + "."));
  }

  public static boolean isFree(int port) {
    // SO_REUSEADDR is Java's default on Linux, so connections in TIME_WAIT do not count as taken.
    try (ServerSocket socket = new ServerSocket(port, 1, InetAddress.getByName(HOST))) {
      return true;
    } catch (IOException e) {
      return false;
    }
  }

  /** Whether a Redis on the port takes the password and answers PING. */
  public static boolean answersPing(int port, String password) {
    try (Socket socket = new Socket()) {
      socket.connect(new InetSocketAddress(HOST, port), CONNECT_MILLIS);
      socket.setSoTimeout(CONNECT_MILLIS);
      String request = "AUTH " + password + "\r\nPING\r\n";
      socket.getOutputStream().write(request.getBytes(StandardCharsets.US_ASCII));
      String expected = "+OK\r\n+PONG";
      byte[] answer = socket.getInputStream().readNBytes(expected.length());
      return new String(answer, StandardCharsets.US_ASCII).equals(expected);
    } catch (IOException e) {
      return false;
    }
  }
}
