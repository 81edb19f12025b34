package io.asyncflow.flowsvr.edge.web.tls;

import io.asyncflow.rules.access.CertificateName;
import jakarta.servlet.http.HttpServletRequest;
import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;
import java.util.Collection;
import java.util.List;
import java.util.Optional;

/** Reads the certificate with which a client has proven itself to this server's TLS. */
public final class ClientCertificate {

  /**
   * Tomcat fills it from the connection, and only with certificates that the handshake accepted.
   */
  private static final String CERTIFICATES = "jakarta.servlet.request.X509Certificate";

  private static final int DNS_NAME = 2;
  private static final int URI = 6;

  private ClientCertificate() {}

  /**
   * The URIs and the DNS names in the client's certificate, in its order; empty without one, and if
   * it has expired since the handshake. A name that may stand for several clients is left out.
   */
  public static List<String> namesIn(HttpServletRequest request) {
    return request.getAttribute(CERTIFICATES) instanceof X509Certificate[] chain && chain.length > 0
        ? namesIn(chain[0])
        : List.of();
  }

  static List<String> namesIn(X509Certificate certificate) {
    try {
      certificate.checkValidity();
      Collection<List<?>> names = certificate.getSubjectAlternativeNames();
      return names == null
          ? List.of()
          : names.stream().map(ClientCertificate::read).flatMap(Optional::stream).toList();
    } catch (CertificateException e) {
      return List.of();
    }
  }

  /**
   * @param name a number for its kind, and the name
   */
  private static Optional<String> read(List<?> name) {
    int kind = (Integer) name.get(0);
    if (!(name.get(1) instanceof String text)) {
      return Optional.empty();
    }
    return switch (kind) {
      case URI -> CertificateName.ofUri(text);
      case DNS_NAME -> CertificateName.ofDns(text);
      default -> Optional.empty();
    };
  }
}
