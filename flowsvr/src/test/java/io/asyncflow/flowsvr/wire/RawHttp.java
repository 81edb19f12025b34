package io.asyncflow.flowsvr.wire;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Sends bytes that no HTTP client would, and reads the first answer. */
final class RawHttp {

  private static final Pattern LENGTH = Pattern.compile("(?i)content-length: *([0-9]+)");

  private RawHttp() {}

  /** Status line, headers and body of the answer; what there was of it, if the server hung up. */
  static String send(int port, byte[] request) throws IOException {
    try (Socket socket = new Socket("127.0.0.1", port)) {
      socket.setSoTimeout(5_000);
      Thread sender = new Thread(() -> write(socket, request), "raw-http");
      sender.setDaemon(true);
      sender.start(); // beside reading, since the answer may come long before the end
      return read(socket.getInputStream());
    }
  }

  private static void write(Socket socket, byte[] request) {
    try {
      socket.getOutputStream().write(request);
      socket.getOutputStream().flush();
    } catch (IOException e) {
      // the server has heard enough
    }
  }

  private static String read(InputStream in) throws IOException {
    ByteArrayOutputStream seen = new ByteArrayOutputStream();
    byte[] buffer = new byte[8_192];
    while (!isWhole(seen.toString(StandardCharsets.UTF_8))) {
      int count = in.read(buffer);
      if (count < 0) {
        break;
      }
      seen.write(buffer, 0, count);
    }
    return seen.toString(StandardCharsets.UTF_8);
  }

  private static boolean isWhole(String answer) {
    int body = answer.indexOf("\r\n\r\n");
    Matcher length = LENGTH.matcher(answer);
    return body >= 0
        && length.find()
        && answer.length() - body - 4 >= Integer.parseInt(length.group(1));
  }
}
