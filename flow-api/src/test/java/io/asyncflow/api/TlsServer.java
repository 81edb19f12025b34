package io.asyncflow.api;

import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.security.cert.CertificateEncodingException;
import java.util.Base64;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManagerFactory;

/**
 * Takes one connection and reads the beginning of one request; then it sends a record that no key
 * of the connection deciphers.
 */
final class TlsServer implements AutoCloseable {

  private static final byte[] NO_SUCH_RECORD = {
    23, 3, 3, 0, 20, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20
  };

  private final ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());

  TlsServer(Identity identity) throws IOException {
    Thread thread = new Thread(() -> serve(identity), "tls-server");
    thread.setDaemon(true);
    thread.start();
  }

  URI url() {
    return URI.create("https://127.0.0.1:" + socket.getLocalPort());
  }

  private void serve(Identity identity) {
    try (Socket plain = socket.accept();
        SSLSocket tls =
            (SSLSocket) identity.context().getSocketFactory().createSocket(plain, null, 0, false)) {
      tls.setUseClientMode(false);
      InputStream request = tls.getInputStream();
      request.read(new byte[1_000]);
      plain.getOutputStream().write(NO_SUCH_RECORD);
      plain.getInputStream().readAllBytes(); // until the other end is closed
    } catch (IOException e) {
      // the client went away, as it should
    }
  }

  @Override
  public void close() throws IOException {
    socket.close();
  }

  /** A certificate for 127.0.0.1 that it has signed itself, with its key. */
  record Identity(SSLContext context, Certificate certificate) {

    private static final char[] PASSWORD = "password".toCharArray();

    static Identity in(Path directory) throws Exception {
      Path file = directory.resolve("identity.p12");
      Process keytool =
          new ProcessBuilder(
                  Path.of(System.getProperty("java.home"), "bin", "keytool").toString(),
                  "-genkeypair",
                  "-alias",
                  "server",
                  "-keyalg",
                  "EC",
                  "-dname",
                  "CN=127.0.0.1",
                  "-ext",
                  "san=ip:127.0.0.1",
                  "-storetype",
                  "PKCS12",
                  "-keystore",
                  file.toString(),
                  "-storepass",
                  new String(PASSWORD))
              .inheritIO()
              .start();
      if (keytool.waitFor() != 0) {
        throw new IllegalStateException("keytool failed; what it printed says why");
      }
      KeyStore store = KeyStore.getInstance(file.toFile(), PASSWORD);
      return new Identity(contextOf(store), store.getCertificate("server"));
    }

    /** The certificate as PEM. */
    String pem() throws CertificateEncodingException {
      return "-----BEGIN CERTIFICATE-----\n"
          + Base64.getMimeEncoder().encodeToString(certificate.getEncoded())
          + "\n-----END CERTIFICATE-----\n";
    }

    /** Both has the certificate and trusts it. */
    private static SSLContext contextOf(KeyStore store) throws GeneralSecurityException {
      KeyManagerFactory keys =
          KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
      keys.init(store, PASSWORD);
      TrustManagerFactory trust =
          TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
      trust.init(store);
      SSLContext context = SSLContext.getInstance("TLS");
      context.init(keys.getKeyManagers(), trust.getTrustManagers(), null);
      return context;
    }
  }
}
