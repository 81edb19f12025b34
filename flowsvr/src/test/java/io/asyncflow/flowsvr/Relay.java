package io.asyncflow.flowsvr;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * A network between a client and a server on loopback that can be a bad one.
 *
 * <p>Thread-safe; two threads a connection.
 */
public final class Relay implements AutoCloseable {

  private static final int PIECE = 16 * 1024;

  private final ServerSocket door;
  private final int target;
  private final Set<Link> links = ConcurrentHashMap.newKeySet();
  private boolean frozen;

  private Relay(ServerSocket door, int target) {
    this.door = door;
    this.target = target;
  }

  /** Opens a way to a port, on a free port. */
  public static Relay to(int target) {
    return on(0, target);
  }

  /** Opens a way to a port, on a port of one's choice. */
  public static Relay on(int port, int target) {
    try {
      Relay relay =
          new Relay(new ServerSocket(port, 200, InetAddress.getLoopbackAddress()), target);
      start(relay::accept);
      return relay;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  public int port() {
    return door.getLocalPort();
  }

  /** Nothing moves any more, nobody is told, and new connections hang: a machine that froze. */
  public synchronized void freeze() {
    frozen = true;
  }

  /** What was frozen moves again. */
  public synchronized void thaw() {
    frozen = false;
    notifyAll();
  }

  /**
   * Connections that stand are dead for ever without anybody being told, new ones are fine: a
   * firewall that has forgotten them.
   */
  public void forgetConnections() {
    links.forEach(link -> link.forgotten = true);
  }

  private synchronized void awaitThaw() throws InterruptedException {
    while (frozen) {
      wait();
    }
  }

  private void accept() {
    while (!door.isClosed()) {
      try {
        Socket client = door.accept();
        start(() -> open(client));
      } catch (IOException e) {
        // closed, or a client that was gone before it was let in
      }
    }
  }

  private void open(Socket client) {
    try {
      awaitThaw();
      Link link = new Link(client, new Socket(InetAddress.getLoopbackAddress(), target));
      links.add(link);
      start(() -> link.carry(link.server, link.client));
      link.carry(link.client, link.server);
    } catch (IOException | InterruptedException e) {
      close(client);
    }
  }

  private static void start(Runnable work) {
    Thread thread = new Thread(work, "relay");
    thread.setDaemon(true);
    thread.start();
  }

  private static void close(Socket socket) {
    try {
      socket.close();
    } catch (IOException e) {
      // it is of no use any more, whatever it says
    }
  }

  @Override
  public void close() {
    try {
      door.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    thaw();
    links.forEach(Link::close);
  }

  private final class Link {

    final Socket client;
    final Socket server;
    volatile boolean forgotten;

    Link(Socket client, Socket server) throws IOException {
      this.client = client;
      this.server = server;
      client.setTcpNoDelay(true);
      server.setTcpNoDelay(true);
    }

    void carry(Socket from, Socket to) {
      byte[] piece = new byte[PIECE];
      try {
        InputStream in = from.getInputStream();
        OutputStream out = to.getOutputStream();
        int length;
        while ((length = in.read(piece)) >= 0) {
          awaitThaw();
          if (!forgotten) {
            out.write(piece, 0, length);
          }
        }
      } catch (IOException | InterruptedException e) {
        // either end is gone, and so the other one shall be
      }
      if (!forgotten) {
        close();
      }
    }

    void close() {
      Relay.close(client);
      Relay.close(server);
    }
  }
}
