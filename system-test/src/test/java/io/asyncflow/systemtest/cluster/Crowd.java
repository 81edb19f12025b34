package io.asyncflow.systemtest.cluster;

import io.asyncflow.dev.host.LoopbackPort;
import io.asyncflow.systemtest.measure.Stopwatch;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;

/** Many clients of one server, each with a connection of its own, which it leaves open. */
final class Crowd implements AutoCloseable {

  private static final Duration PATIENCE = Duration.ofSeconds(10);

  private final int port;
  private final List<Client> clients = new ArrayList<>();

  Crowd(int port) {
    this.port = port;
  }

  private static final class Client {

    private final SocketChannel channel;
    private final StringBuilder answer = new StringBuilder();
    private boolean isClosed;

    Client(SocketChannel channel) {
      this.channel = channel;
    }

    /** Takes what has come, and waits for nothing. */
    void listen() {
      ByteBuffer some = ByteBuffer.allocate(8_192);
      try {
        int count;
        while ((count = channel.read(some.clear())) > 0) {
          answer.append(StandardCharsets.UTF_8.decode(some.flip()));
        }
        isClosed |= count < 0;
      } catch (IOException e) {
        isClosed = true; // by a server that has not read all
      }
    }

    void send(byte[] some) {
      try {
        if (!isClosed) {
          channel.write(ByteBuffer.wrap(some));
        }
      } catch (IOException e) {
        isClosed = true;
      }
    }
  }

  /** One more, who sends this line as a request, and waits for no answer. */
  void join(String line) {
    connect(request(line, ""));
  }

  /** One more, who sends nothing but this. */
  void beginWith(String some) {
    connect(some.getBytes(StandardCharsets.US_ASCII));
  }

  /** All who are still connected send this. */
  void sendMore(String some) {
    for (Client client : clients) {
      client.send(some.getBytes(StandardCharsets.US_ASCII));
    }
  }

  private void connect(byte[] bytes) {
    try {
      SocketChannel channel = SocketChannel.open();
      clients.add(new Client(channel));
      channel.socket().connect(address(), (int) PATIENCE.toMillis());
      channel.write(ByteBuffer.wrap(bytes));
      channel.configureBlocking(false);
    } catch (IOException e) {
      throw new UncheckedIOException("client " + clients.size() + " cannot connect", e);
    }
  }

  /** How many have joined. */
  int size() {
    return clients.size();
  }

  /** How many clients have been answered so. */
  long answered(Predicate<String> answer) {
    clients.forEach(Client::listen);
    return clients.stream().filter(one -> answer.test(one.answer.toString())).count();
  }

  /** How many connections the server has not closed. */
  long open() {
    clients.forEach(Client::listen);
    return clients.stream().filter(one -> !one.isClosed).count();
  }

  /** How long it takes to be answered with 200 over a new connection. */
  Duration timeOf(String line, String body) {
    Stopwatch watch = Stopwatch.start();
    try (Socket socket = new Socket()) {
      socket.connect(address(), (int) PATIENCE.toMillis());
      socket.setSoTimeout((int) PATIENCE.toMillis());
      socket.getOutputStream().write(request(line, body));
      byte[] status = socket.getInputStream().readNBytes("HTTP/1.1 200".length());
      if (!new String(status, StandardCharsets.US_ASCII).equals("HTTP/1.1 200")) {
        throw new AssertionError(
            line + " was answered with " + new String(status, StandardCharsets.UTF_8));
      }
      return watch.elapsed();
    } catch (IOException e) {
      throw new UncheckedIOException(line + " was not answered", e);
    }
  }

  private InetSocketAddress address() {
    return new InetSocketAddress(LoopbackPort.HOST, port);
  }

  private static byte[] request(String line, String body) {
    return (line
            + " HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: "
            + body.length()
            + "\r\n\r\n"
            + body)
        .getBytes(StandardCharsets.US_ASCII);
  }

  /** All leave at once. */
  @Override
  public void close() {
    for (Client client : clients) {
      try {
        client.channel.close();
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }
}
