package io.asyncflow.flowsvr.compose.hook;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsServer;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

/**
 * An endpoint of hooks on {@code localhost}, with a certificate of its own, which answers as it is
 * told.
 */
public final class TlsReceiver implements AutoCloseable {

  public static final String PASSWORD = "changeit";

  private static final Answer OK = new Answer(200, Map.of(), "");

  private final Path keyStore;
  private final SSLContext tls;
  private final HttpsServer server;
  private final ExecutorService threads = Executors.newCachedThreadPool();
  private final CountDownLatch closed = new CountDownLatch(1);
  private final Map<String, Deque<Answer>> answers = new ConcurrentHashMap<>();
  private final List<Received> received = new CopyOnWriteArrayList<>();

  /**
   * A request that arrived.
   *
   * @param time epoch ms
   */
  public record Received(String path, Map<String, List<String>> headers, String body, long time) {

    public String header(String name) {
      return headers.entrySet().stream()
          .filter(header -> header.getKey().equalsIgnoreCase(name))
          .findFirst()
          .orElseThrow()
          .getValue()
          .get(0);
    }
  }

  /**
   * What it answers.
   *
   * @param status 0 for no answer before it is closed
   */
  public record Answer(int status, Map<String, String> headers, String body) {

    public static Answer of(int status) {
      return new Answer(status, Map.of(), "");
    }

    public static Answer never() {
      return of(0);
    }

    public Answer with(String header, String value) {
      return new Answer(status, Map.of(header, value), body);
    }
  }

  private TlsReceiver(InetAddress address, Path keyStore)
      throws IOException, GeneralSecurityException {
    this.keyStore = keyStore;
    this.tls = contextOf(keyStore);
    this.server = HttpsServer.create(new InetSocketAddress(address, 0), 0);
    server.setHttpsConfigurator(new HttpsConfigurator(tls));
    server.setExecutor(threads);
    server.createContext("/", this::answer);
    server.start();
  }

  /** Starts one on 127.0.0.1. */
  public static TlsReceiver start() {
    return start("127.0.0.1");
  }

  /** Starts one on an address of this machine. */
  public static TlsReceiver start(String address) {
    try {
      Path keyStore = Files.createTempDirectory("receiver").resolve("keys.p12");
      makeCertificate(keyStore);
      return new TlsReceiver(InetAddress.getByName(address), keyStore);
    } catch (IOException | GeneralSecurityException e) {
      throw new IllegalStateException(e);
    }
  }

  private static void makeCertificate(Path keyStore) throws IOException {
    Process keytool =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "keytool").toString(),
                "-genkeypair",
                "-alias",
                "receiver",
                "-keyalg",
                "EC",
                "-dname",
                "CN=localhost",
                "-ext",
                "san=dns:localhost",
                "-validity",
                "30",
                "-storetype",
                "PKCS12",
                "-keystore",
                keyStore.toString(),
                "-storepass",
                PASSWORD)
            .redirectErrorStream(true)
            .start();
    String output = new String(keytool.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    try {
      if (keytool.waitFor() != 0) {
        throw new IOException("keytool failed: " + output);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException(e);
    }
  }

  private static SSLContext contextOf(Path keyStore) throws IOException, GeneralSecurityException {
    KeyStore keys = KeyStore.getInstance("PKCS12");
    try (InputStream in = Files.newInputStream(keyStore)) {
      keys.load(in, PASSWORD.toCharArray());
    }
    KeyManagerFactory own = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
    own.init(keys, PASSWORD.toCharArray());
    TrustManagerFactory trusted =
        TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
    trusted.init(keys);
    SSLContext context = SSLContext.getInstance("TLS");
    context.init(own.getKeyManagers(), trusted.getTrustManagers(), null);
    return context;
  }

  private void answer(HttpExchange exchange) throws IOException {
    try (exchange) {
      String path = exchange.getRequestURI().getPath();
      String body = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
      Map<String, List<String>> headers = Map.copyOf(exchange.getRequestHeaders());
      received.add(new Received(path, headers, body, System.currentTimeMillis()));
      Answer answer = nextAnswer(path);
      if (answer.status() == 0) {
        closed.await();
        return;
      }
      answer.headers().forEach(exchange.getResponseHeaders()::set);
      byte[] bytes = answer.body().getBytes(StandardCharsets.UTF_8);
      exchange.sendResponseHeaders(answer.status(), bytes.length == 0 ? -1 : bytes.length);
      exchange.getResponseBody().write(bytes);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** The last answer of a path stays. */
  private Answer nextAnswer(String path) {
    Deque<Answer> planned = answers.getOrDefault(path, new ArrayDeque<>(List.of(OK)));
    synchronized (planned) {
      return planned.size() > 1 ? planned.removeFirst() : planned.getFirst();
    }
  }

  /** Answers the requests of a path so, one after the other; the last answer stays. */
  public void answer(String path, Answer... planned) {
    answers.put(path, new ArrayDeque<>(List.of(planned)));
  }

  /** The requests to a path, in order. */
  public List<Received> received(String path) {
    return received.stream().filter(request -> request.path().equals(path)).toList();
  }

  public int port() {
    return server.getAddress().getPort();
  }

  public String url(String path) {
    return "https://localhost:" + port() + path;
  }

  /** A context that trusts its certificate. */
  public SSLContext tls() {
    return tls;
  }

  /** The file with its certificate. */
  public Path keyStore() {
    return keyStore;
  }

  @Override
  public void close() {
    closed.countDown();
    server.stop(0);
    threads.shutdownNow();
    try {
      Files.delete(keyStore);
      Files.delete(keyStore.getParent());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
