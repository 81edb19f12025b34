package io.asyncflow.systemtest.measure;

import io.asyncflow.dev.embedded.EmbeddedRedis;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Set;

/** A Redis as it is asked by hand: what it was used for since its start. */
public record RedisStatistics(EmbeddedRedis redis) {

  /** How often the commands were called, together. */
  public long calls(String... commands) {
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

  /** Makes it forget everything. */
  public void flushAll() {
    try (Socket socket = connect()) {
      socket.getOutputStream().write("FLUSHALL\r\n".getBytes(StandardCharsets.US_ASCII));
      socket.getInputStream().readNBytes("+OK\r\n".length());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private Socket connect() throws IOException {
    Socket socket = new Socket("127.0.0.1", redis.port());
    String login = "AUTH " + redis.password() + "\r\n";
    socket.getOutputStream().write(login.getBytes(StandardCharsets.US_ASCII));
    socket.getInputStream().readNBytes("+OK\r\n".length());
    return socket;
  }

  private String info() {
    try (Socket socket = connect()) {
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
