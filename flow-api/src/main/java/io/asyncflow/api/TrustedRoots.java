package io.asyncflow.api;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

/** Certificate authorities of your own, for servers whose certificates Java does not trust. */
public final class TrustedRoots {

  private TrustedRoots() {}

  /**
   * TLS that trusts the certificates in a PEM file and no others.
   *
   * @throws IllegalArgumentException if the file has none; the message continues the words "must
   *     be"
   */
  public static SSLContext in(Path pem) {
    try (InputStream in = Files.newInputStream(pem)) {
      KeyStore roots = KeyStore.getInstance(KeyStore.getDefaultType());
      roots.load(null, null);
      for (Certificate root : CertificateFactory.getInstance("X.509").generateCertificates(in)) {
        roots.setCertificateEntry("root-" + roots.size(), root);
      }
      if (roots.size() > 0) {
        return trusting(roots);
      }
    } catch (IOException | GeneralSecurityException e) {
      throw notUsable(pem, e);
    }
    throw notUsable(pem, null);
  }

  private static SSLContext trusting(KeyStore roots) throws GeneralSecurityException {
    TrustManagerFactory trust =
        TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
    trust.init(roots);
    SSLContext tls = SSLContext.getInstance("TLS");
    tls.init(null, trust.getTrustManagers(), null);
    return tls;
  }

  private static IllegalArgumentException notUsable(Path pem, Exception cause) {
    return new IllegalArgumentException(
        "a PEM file with certificates that this process can read, and not " + pem, cause);
  }
}
