package io.asyncflow.dev.testing;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.X509Certificate;
import java.util.Base64;
import java.util.concurrent.Callable;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

/**
 * A certificate, signed by itself, with its key.
 *
 * @param store has both under {@value #ALIAS}
 */
public record TestCertificate(KeyStore store) {
  private static final String OF_THIS_MACHINE = "dns:localhost,ip:127.0.0.1";
  private static final String ALIAS = "test";
  private static final char[] PASSWORD = "password".toCharArray();

  /** One for {@code localhost} and {@code 127.0.0.1}. */
  public static TestCertificate create() {
    return create(OF_THIS_MACHINE, "-0d");
  }

  /**
   * One for a client.
   *
   * @param names as keytool takes them, such as {@code uri:spiffe://acme/gpu}
   */
  public static TestCertificate of(String names) {
    return create(names, "-0d");
  }

  /** As {@link #of}, one that has expired. */
  public static TestCertificate expiredOf(String names) {
    return create(names, "-100d");
  }

  /**
   * Makes a certificate with the JDK's keytool; takes about a second.
   *
   * @param begin from when on it is valid, for 90 days
   */
  private static TestCertificate create(String names, String begin) {
    try {
      Path directory = Files.createTempDirectory("certificate");
      Path file = directory.resolve("store.p12");
      try {
        runKeytool(file, names, begin);
        return new TestCertificate(KeyStore.getInstance(file.toFile(), PASSWORD));
      } finally {
        Files.deleteIfExists(file);
        Files.delete(directory);
      }
    } catch (IOException | GeneralSecurityException e) {
      throw new IllegalStateException("no certificate could be made", e);
    }
  }

  private static void runKeytool(Path file, String names, String begin) throws IOException {
    Process keytool =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "keytool").toString(),
                "-genkeypair",
                "-alias",
                ALIAS,
                "-keyalg",
                "EC",
                "-groupname",
                "secp256r1",
                "-dname",
                "CN=localhost",
                "-ext",
                "san=" + names,
                "-startdate",
                begin,
                "-validity",
                "90",
                "-storetype",
                "PKCS12",
                "-keystore",
                file.toString(),
                "-storepass",
                new String(PASSWORD))
            .inheritIO()
            .start();
    try {
      if (keytool.waitFor() != 0) {
        throw new IllegalStateException("keytool failed; what it printed says why");
      }
    } catch (InterruptedException e) {
      keytool.destroy();
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted while keytool ran", e);
    }
  }

  public X509Certificate certificate() {
    return made(() -> (X509Certificate) store.getCertificate(ALIAS));
  }

  /** Writes the certificate as PEM, in one step where the file exists. */
  public Path writeCertificate(Path file) {
    return made(() -> write(file, "CERTIFICATE", certificate().getEncoded()));
  }

  /** Writes the key as PEM for its owner alone, in one step where the file exists. */
  public Path writeKey(Path file) {
    return made(() -> write(file, "PRIVATE KEY", store.getKey(ALIAS, PASSWORD).getEncoded()));
  }

  private static <T> T made(Callable<T> maker) {
    try {
      return maker.call();
    } catch (Exception e) {
      throw new IllegalStateException(e);
    }
  }

  private static Path write(Path file, String kind, byte[] content) throws IOException {
    String text =
        "-----BEGIN %1$s-----%n%2$s%n-----END %1$s-----%n"
            .formatted(kind, Base64.getMimeEncoder().encodeToString(content));
    Path part = Files.writeString(file.resolveSibling(file.getFileName() + ".part"), text);
    Files.setPosixFilePermissions(part, PosixFilePermissions.fromString("rw-------"));
    return Files.move(part, file, StandardCopyOption.ATOMIC_MOVE);
  }

  /** TLS that shows this certificate and trusts another one. */
  public SSLContext contextTrusting(TestCertificate other) {
    return made(
        () -> {
          KeyManagerFactory keys =
              KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
          keys.init(store, PASSWORD);
          TrustManagerFactory trust =
              TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
          trust.init(other.store);
          SSLContext tls = SSLContext.getInstance("TLS");
          tls.init(keys.getKeyManagers(), trust.getTrustManagers(), null);
          return tls;
        });
  }
}
