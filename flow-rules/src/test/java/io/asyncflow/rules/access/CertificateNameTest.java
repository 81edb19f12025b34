package io.asyncflow.rules.access;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class CertificateNameTest {

  @Test
  void namesAreComparedInOneForm() {
    assertThat(CertificateName.parse("spiffe://acme/GPU")).hasValue("spiffe://acme/GPU");
    assertThat(CertificateName.parse("Gpu-1.Acme.Example")).hasValue("gpu-1.acme.example");
    assertThat(CertificateName.parse("urn:uuid:1")).hasValue("urn:uuid:1");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        " ",
        "*",
        "*.acme.example",
        "acme..example",
        "-acme",
        "acme.example.",
        "acme/gpu",
        "spiffe://acme/a b",
        "spiffe://acme/ä",
        "spiffe://acme/\n",
        "http:",
        "10.0.0.1:443"
      })
  void whatIsNoNameOfOneClientIsNone(String text) {
    assertThat(CertificateName.parse(text)).isEmpty();
  }

  @Test
  void aNameIsNotTakenForOneOfTheOtherKind() {
    assertThat(CertificateName.ofUri("acme.example")).isEmpty();
    assertThat(CertificateName.ofDns("spiffe://acme/gpu")).isEmpty();
    assertThat(CertificateName.parse("a".repeat(256))).isEmpty();
    assertThat(CertificateName.parse("spiffe://" + "a".repeat(250))).isEmpty();
  }
}
