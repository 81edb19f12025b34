package io.asyncflow.rules.access;

import java.net.URI;
import java.net.URISyntaxException;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * A name in a certificate, of its subject alternative names: a URI such as {@code
 * spiffe://acme/gpu}, or a DNS name such as {@code gpu.acme.example}. A colon tells which of the
 * two it is.
 */
public final class CertificateName {

  private static final int LONGEST = 255;
  private static final Pattern VISIBLE = Pattern.compile("[\\x21-\\x7e]+");
  private static final String LABEL = "[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?";
  private static final Pattern DNS = Pattern.compile(LABEL + "(\\." + LABEL + ")*");

  private CertificateName() {}

  /**
   * Reads a URI or a DNS name in the form in which it is compared; empty if the text is neither, or
   * is a DNS name with a star, which would be that of many.
   */
  public static Optional<String> parse(String text) {
    Optional<String> uri = ofUri(text);
    return uri.isPresent() ? uri : ofDns(text);
  }

  /** As {@link #parse}, of a text that a certificate has as a URI. */
  public static Optional<String> ofUri(String text) {
    return text.length() <= LONGEST && VISIBLE.matcher(text).matches() && isAbsolute(text)
        ? Optional.of(text)
        : Optional.empty();
  }

  private static boolean isAbsolute(String text) {
    try {
      return new URI(text).isAbsolute();
    } catch (URISyntaxException e) {
      return false;
    }
  }

  /** As {@link #parse}, of a text that a certificate has as a DNS name. */
  public static Optional<String> ofDns(String text) {
    String name = text.toLowerCase(Locale.ROOT);
    return name.length() <= LONGEST && DNS.matcher(name).matches()
        ? Optional.of(name)
        : Optional.empty();
  }
}
