package io.asyncflow.systemtest.wire;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A wire between a client and a server that can be bad in every way a wire can be.
 *
 * <pre>
 *                     pass        bytes go both ways
 *                     delay       the same, each piece so much later
 *   client  ── proxy ──  server
 *                     freeze      nothing moves and nobody is told: a black hole, until it thaws
 *                     cut         connections are reset, new ones too
 *                     swallow     a request gets through, and its answer never comes back
 * </pre>
 *
 * <p>Thread-safe; two threads a connection.
 */
public final class TcpProxy implements AutoCloseable {

  private static final int PIECE = 16 * 1024;
  private static final int CONNECT_MILLIS = 2_000;

  private enum Mode {
    PASS,
    FROZEN,
    CUT
  }

  /** What is done to one request. */
  @FunctionalInterface
  public interface Trap {
    /** Called in the middle of the transfer, which waits for it. */
    void spring();
  }

  /** The moments of a request at which a trap can spring. */
  public enum Moment {
    /** The request has come, and the server has not seen it. */
    BEFORE_REQUEST,
    /** The server has the request. */
    AFTER_REQUEST,
    /** The server has answered, and the client has not seen it. */
    BEFORE_ANSWER
  }

  /** What happens to the transfer after a trap. */
  private enum Afterwards {
    RESET,
    GO_ON
  }

  private record Armed(
      RequestKind kind, Moment moment, Trap trap, Afterwards afterwards, AtomicInteger times) {

    boolean isReset() {
      return afterwards == Afterwards.RESET;
    }

    /** Whether it springs now; it does so only so often. */
    boolean springsAt(Moment now) {
      return moment == now && times.getAndUpdate(left -> Math.max(0, left - 1)) > 0;
    }
  }

  private final ServerSocket door;
  private final Set<Link> links = ConcurrentHashMap.newKeySet();
  private final Object modeChanged = new Object();
  private volatile int target;
  private volatile Mode mode = Mode.PASS;
  private volatile Duration delay = Duration.ZERO;
  private volatile Armed armed;

  private TcpProxy(ServerSocket door, int target) {
    this.door = door;
    this.target = target;
  }

  /** Opens a proxy on a free port of loopback. */
  public static TcpProxy to(int target) {
    try {
      ServerSocket door = new ServerSocket(0, 200, InetAddress.getLoopbackAddress());
      TcpProxy proxy = new TcpProxy(door, target);
      start("proxy-" + door.getLocalPort(), proxy::accept);
      return proxy;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  public int port() {
    return door.getLocalPort();
  }

  /** New connections go elsewhere; those that stand stay. */
  public void redirect(int newTarget) {
    target = newTarget;
  }

  /** All is well again; what was frozen is delivered now. */
  public void heal() {
    delay = Duration.ZERO;
    disarm();
    become(Mode.PASS);
  }

  /** Every piece takes so much longer, either way. */
  public void delay(Duration value) {
    delay = value;
  }

  /** Nothing moves, and connections stay open. */
  public void freeze() {
    become(Mode.FROZEN);
  }

  /** Resets every connection and each new one. */
  public void cut() {
    become(Mode.CUT);
    links.forEach(Link::reset);
  }

  /** Resets every connection; new ones are fine. */
  public void resetAll() {
    links.forEach(Link::reset);
  }

  /**
   * Lets the next requests through and resets their connections instead of answering.
   *
   * @param requestLine how they begin, as {@code POST /api/task/createTask}
   */
  public void swallowAnswers(String requestLine, int times) {
    trap(requestLine, Moment.BEFORE_ANSWER, times, () -> {});
  }

  /**
   * Springs a trap at a moment of the next requests of a kind; the client's connection is reset
   * after it.
   */
  public void trap(String requestLine, Moment moment, int times, Trap trap) {
    arm(RequestKind.http(requestLine), moment, times, trap, Afterwards.RESET);
  }

  /**
   * The same between a server and its database, for a statement that fits into a packet.
   *
   * @param part of its text that tells it from others
   */
  public void trapStatement(String part, Moment moment, int times, Trap trap) {
    arm(RequestKind.statement(part), moment, times, trap, Afterwards.RESET);
  }

  /** The same, but the transfer goes on when the trap returns. */
  public void holdUpStatement(String part, Moment moment, int times, Trap trap) {
    arm(RequestKind.statement(part), moment, times, trap, Afterwards.GO_ON);
  }

  private void arm(RequestKind kind, Moment moment, int times, Trap trap, Afterwards afterwards) {
    armed = new Armed(kind, moment, trap, afterwards, new AtomicInteger(times));
  }

  /** Takes away a trap that has not sprung. */
  public void disarm() {
    armed = null;
  }

  /** Whether all traps that were set have sprung. */
  public boolean hasSprung() {
    Armed current = armed;
    return current == null || current.times().get() == 0;
  }

  private void become(Mode next) {
    synchronized (modeChanged) {
      mode = next;
      modeChanged.notifyAll();
    }
  }

  private void accept() {
    while (!door.isClosed()) {
      try {
        Socket client = door.accept();
        if (mode == Mode.CUT) {
          reset(client);
        } else {
          start("proxy-link", () -> open(client));
        }
      } catch (IOException e) {
        // closed, or a client that was gone before it was let in
      }
    }
  }

  private void open(Socket client) {
    Socket server = new Socket();
    try {
      awaitThaw();
      server.connect(
          new InetSocketAddress(InetAddress.getLoopbackAddress(), target), CONNECT_MILLIS);
      client.setTcpNoDelay(true);
      server.setTcpNoDelay(true);
    } catch (IOException e) {
      reset(client);
      reset(server);
      return;
    }
    Link link = new Link(client, server);
    links.add(link);
    start("proxy-answers", link::carryAnswers);
    link.carryRequests();
  }

  private void awaitThaw() {
    synchronized (modeChanged) {
      while (mode == Mode.FROZEN && !door.isClosed()) {
        try {
          modeChanged.wait();
        } catch (InterruptedException e) {
          Thread.currentThread().interrupt();
          return;
        }
      }
    }
  }

  private static void start(String name, Runnable work) {
    Thread thread = new Thread(work, name);
    thread.setDaemon(true);
    thread.start();
  }

  /** Closes with RST, as a machine does that knows nothing of the connection. */
  private static void reset(Socket socket) {
    try {
      socket.setSoLinger(true, 0);
    } catch (IOException e) {
      // it is closed already
    }
    try {
      socket.close();
    } catch (IOException e) {
      // nothing more can be done to it
    }
  }

  @Override
  public void close() {
    try {
      door.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    become(Mode.CUT);
    links.forEach(Link::reset);
  }

  /** One connection through the proxy. */
  private final class Link {

    private final Socket client;
    private final Socket server;
    private volatile Armed underTrap;
    private volatile boolean mute;

    Link(Socket client, Socket server) {
      this.client = client;
      this.server = server;
    }

    void carryRequests() {
      byte[] piece = new byte[PIECE];
      try {
        int length;
        while ((length = client.getInputStream().read(piece)) >= 0) {
          hinder();
          Armed trap = trapFor(piece, length);
          if (trap == null) {
            server.getOutputStream().write(piece, 0, length);
          } else if (!carryTrapped(trap, wholeRequest(trap, piece, length))) {
            return;
          }
        }
        server.shutdownOutput();
      } catch (IOException e) {
        reset();
      }
    }

    /** {@code false} if the connection is over. */
    private boolean carryTrapped(Armed trap, byte[] request) throws IOException {
      if (trap.springsAt(Moment.BEFORE_REQUEST)) {
        trap.trap().spring();
        if (trap.isReset()) {
          reset();
          return false;
        }
      }
      underTrap = trap; // before the answer can come
      boolean springs = trap.springsAt(Moment.AFTER_REQUEST);
      mute = springs && trap.isReset();
      server.getOutputStream().write(request);
      if (springs) {
        trap.trap().spring();
      }
      if (mute) {
        reset();
      }
      return !mute;
    }

    /** The header and the body may come in pieces, and half a request would have no effect. */
    private byte[] wholeRequest(Armed trap, byte[] piece, int length) throws IOException {
      ByteArrayOutputStream request = new ByteArrayOutputStream(length);
      request.write(piece, 0, length);
      while (!trap.kind().isWhole(request.toString(StandardCharsets.ISO_8859_1))) {
        int more = client.getInputStream().read(piece);
        if (more < 0) {
          break;
        }
        request.write(piece, 0, more);
      }
      return request.toByteArray();
    }

    void carryAnswers() {
      byte[] piece = new byte[PIECE];
      try {
        int length;
        while ((length = server.getInputStream().read(piece)) >= 0) {
          hinder();
          Armed trap = underTrap;
          if (trap != null && trap.springsAt(Moment.BEFORE_ANSWER)) {
            trap.trap().spring();
            if (trap.isReset()) {
              reset();
              return;
            }
          }
          if (!mute) {
            client.getOutputStream().write(piece, 0, length);
          }
        }
        client.shutdownOutput();
      } catch (IOException e) {
        reset();
      } finally {
        links.remove(this);
      }
    }

    private Armed trapFor(byte[] piece, int length) {
      Armed current = armed;
      if (current == null) {
        return null;
      }
      String text = new String(piece, 0, length, StandardCharsets.ISO_8859_1);
      return current.kind().begins(text) ? current : null;
    }

    private void hinder() throws IOException {
      Duration wait = delay;
      if (!wait.isZero()) {
        try {
          Thread.sleep(wait.toMillis());
        } catch (InterruptedException e) {
          Thread.currentThread().interrupt();
          throw new IOException("interrupted", e);
        }
      }
      awaitThaw();
    }

    void reset() {
      links.remove(this);
      TcpProxy.reset(client);
      TcpProxy.reset(server);
    }
  }
}
