package io.asyncflow.flowsvr.edge.web.tls;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.Mockito.doThrow;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.when;

import java.security.cert.CertificateExpiredException;
import java.security.cert.CertificateParsingException;
import java.security.cert.X509Certificate;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.springframework.mock.web.MockHttpServletRequest;

class ClientCertificateTest {

  private static final String ATTRIBUTE = "jakarta.servlet.request.X509Certificate";

  private final X509Certificate certificate = mock();

  private void withNames(List<?>... names) throws CertificateParsingException {
    when(certificate.getSubjectAlternativeNames()).thenReturn(List.of(names));
  }

  @Test
  void namesAreUrisAndDnsNamesOfOneClient() throws Exception {
    withNames(
        List.of(2, "GPU.acme.example"),
        List.of(2, "*.acme.example"),
        List.of(2, "spiffe://acme/not-a-uri-here"),
        List.of(6, "spiffe://acme/gpu"),
        List.of(6, "gpu.acme.example"),
        List.of(7, "127.0.0.1"),
        List.of(0, new byte[1]));
    assertThat(ClientCertificate.namesIn(certificate))
        .containsExactly("gpu.acme.example", "spiffe://acme/gpu");
  }

  @Test
  void certificateThatExpiredOnAnOpenConnectionHasNone() throws Exception {
    withNames(List.of(6, "spiffe://acme/gpu"));
    doThrow(new CertificateExpiredException()).when(certificate).checkValidity();
    assertThat(ClientCertificate.namesIn(certificate)).isEmpty();
  }

  @Test
  void onlyTheCertificateOfTheClientItselfCounts() throws Exception {
    withNames(List.of(6, "spiffe://acme/gpu"));
    X509Certificate authority = mock();
    when(authority.getSubjectAlternativeNames())
        .thenReturn(List.of(List.of(6, "spiffe://acme/authority")));
    MockHttpServletRequest request = new MockHttpServletRequest();
    assertThat(ClientCertificate.namesIn(request)).isEmpty();
    request.setAttribute(ATTRIBUTE, new X509Certificate[] {certificate, authority});
    assertThat(ClientCertificate.namesIn(request)).containsExactly("spiffe://acme/gpu");
  }

  @Test
  void headersOfAProxyProveNothing() {
    MockHttpServletRequest request = new MockHttpServletRequest();
    for (String header :
        List.of("X-Client-Cert", "X-Forwarded-Client-Cert", "Ssl-Client-Cert", "Client-Cert")) {
      request.addHeader(header, "By=x;URI=spiffe://acme/gpu");
    }
    assertThat(ClientCertificate.namesIn(request)).isEmpty();
  }
}
