package io.asyncflow.flowsvr.wire;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/** Clients that send one of some beginnings each, and then a byte now and then until closed. */
final class SlowClients implements AutoCloseable {

  private final List<Socket> sockets = new ArrayList<>();
  private final ScheduledExecutorService drip = Executors.newSingleThreadScheduledExecutor();
  private final Map<Socket, ByteArrayOutputStream> answers = new HashMap<>();

  SlowClients(int port, int count, List<String> beginnings) throws IOException {
    for (int i = 0; i < count; i++) {
      Socket socket = new Socket();
      sockets.add(socket);
      socket.connect(new InetSocketAddress("127.0.0.1", port), 5_000);
      socket.setSoTimeout(1);
      String beginning = beginnings.get(i % beginnings.size());
      socket.getOutputStream().write(beginning.getBytes(StandardCharsets.US_ASCII));
    }
    drip.scheduleWithFixedDelay(this::sendAByte, 300, 300, TimeUnit.MILLISECONDS);
  }

  private void sendAByte() {
    for (Socket socket : sockets) {
      try {
        socket.getOutputStream().write('x');
      } catch (IOException e) {
        // closed; areAllSentAway finds out
      }
    }
  }

  boolean areAllSentAway() {
    return stillThere() == 0;
  }

  long stillThere() {
    for (Socket socket : sockets) {
      ByteArrayOutputStream heard =
          answers.computeIfAbsent(socket, any -> new ByteArrayOutputStream());
      if (!socket.isInputShutdown() && isAtItsEnd(socket, heard)) {
        shutDown(socket);
      }
    }
    return sockets.stream().filter(socket -> !socket.isInputShutdown()).count();
  }

  private static boolean isAtItsEnd(Socket socket, ByteArrayOutputStream heard) {
    byte[] buffer = new byte[8_192];
    try {
      int count;
      while ((count = socket.getInputStream().read(buffer)) >= 0) {
        heard.write(buffer, 0, count);
      }
      return true;
    } catch (SocketTimeoutException e) {
      return false;
    } catch (IOException e) {
      return true;
    }
  }

  private static void shutDown(Socket socket) {
    try {
      socket.shutdownInput();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  List<String> answers() {
    return answers.values().stream()
        .map(answer -> answer.toString(StandardCharsets.UTF_8))
        .toList();
  }

  @Override
  public void close() throws IOException {
    drip.shutdownNow();
    for (Socket socket : sockets) {
      socket.close();
    }
  }
}
