package io.asyncflow.systemtest.cluster;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Set;

/**
 * What a Redis says that it was asked for since its start.
 *
 * @param port of the Redis on loopback
 */
record RedisStatistics(int port) {

  /** How often the commands were called, together. */
  long calls(String... commands) {
    Set<String> wanted = Set.of(commands);
    long calls = 0;
    for (String line : info().split("\r\n")) {
      // cmdstat_publish:calls=5,usec=20,...
      if (line.startsWith("cmdstat_")) {
        String command = line.substring("cmdstat_".length(), line.indexOf(':'));
        if (wanted.contains(command)) {
          int from = line.indexOf("calls=") + "calls=".length();
          calls += Long.parseLong(line.substring(from, line.indexOf(',', from)));
        }
      }
    }
    return calls;
  }

  private String info() {
    try (Socket socket = new Socket(LoopbackPort.HOST, port)) {
      socket.getOutputStream().write("INFO commandstats\r\n".getBytes(StandardCharsets.US_ASCII));
      BufferedReader answer =
          new BufferedReader(
              new InputStreamReader(socket.getInputStream(), StandardCharsets.US_ASCII));
      int length = Integer.parseInt(answer.readLine().substring(1));
      char[] text = new char[length];
      int read = 0;
      while (read < length) {
        read += answer.read(text, read, length - read);
      }
      return new String(text);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
