package io.asyncflow.systemtest.cluster;

import io.asyncflow.dev.host.LoopbackPort;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;

/**
 * Clients that keep a server busy on purpose: each sends a beginning, then some bytes at each tick
 * up to a length, and reads nothing. One that is sent away, or was there for some seconds, comes
 * again a second later: so they keep what the server has, and not its cores.
 */
final class GreedyClients implements AutoCloseable {

  /** A little less than Tomcat waits for a client. */
  private static final Duration STAY = Duration.ofSeconds(9);

  private static final Duration ABSENCE = Duration.ofSeconds(1);
  private static final Duration TICK = Duration.ofMillis(50);
  private static final int RECEIVE_BUFFER = 4_096;

  /**
   * @param beginning sent at once
   * @param bytes how much follows
   * @param atATick how many of them at a time
   */
  record Act(String beginning, long bytes, int atATick) {}

  private static final class Client {
    private SocketChannel channel;
    private ByteBuffer unsent;
    private long left;
    private long since = System.nanoTime() - ABSENCE.toNanos();
  }

  private final Client[] clients;
  private final Act act;
  private final int port;
  private final byte[] filler;
  private final Thread thread;
  private volatile boolean closing;

  GreedyClients(int port, int count, Act act) {
    this.port = port;
    this.act = act;
    this.filler = " ".repeat(act.atATick()).getBytes(StandardCharsets.US_ASCII);
    this.clients = new Client[count];
    for (int i = 0; i < count; i++) {
      clients[i] = new Client();
    }
    thread = new Thread(this::run, "greedy-clients");
    thread.start();
  }

  private void run() {
    while (!closing) {
      for (Client client : clients) {
        try {
          act(client);
        } catch (IOException sentAway) {
          leave(client);
        }
      }
      LockSupport.parkNanos(TICK.toNanos());
    }
    for (Client client : clients) {
      leave(client);
    }
  }

  private void act(Client client) throws IOException {
    long nanos = System.nanoTime() - client.since;
    if (client.channel != null && nanos > STAY.toNanos()) {
      leave(client);
    } else if (client.channel == null && nanos > ABSENCE.toNanos()) {
      client.channel = SocketChannel.open();
      client.channel.setOption(StandardSocketOptions.SO_RCVBUF, RECEIVE_BUFFER);
      client.channel.connect(new InetSocketAddress(LoopbackPort.HOST, port));
      client.channel.configureBlocking(false);
      client.unsent = ByteBuffer.wrap(act.beginning().getBytes(StandardCharsets.US_ASCII));
      client.left = act.bytes();
      client.since = System.nanoTime();
    }
    if (client.channel == null) {
      return;
    }
    if (!client.unsent.hasRemaining() && client.left > 0) {
      client.unsent = ByteBuffer.wrap(filler, 0, (int) Math.min(filler.length, client.left));
      client.left -= client.unsent.remaining();
    }
    client.channel.write(client.unsent);
  }

  private static void leave(Client client) {
    try {
      if (client.channel != null) {
        client.channel.close();
      }
    } catch (IOException e) {
      // it was closed by the server
    }
    client.channel = null;
    client.since = System.nanoTime();
  }

  @Override
  public void close() throws InterruptedException {
    closing = true;
    thread.join();
  }
}
