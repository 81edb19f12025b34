package io.asyncflow.flowsvr.access;

import com.nimbusds.jose.JOSEException;
import com.nimbusds.jose.JWSAlgorithm;
import com.nimbusds.jose.JWSHeader;
import com.nimbusds.jose.JWSSigner;
import com.nimbusds.jose.crypto.ECDSASigner;
import com.nimbusds.jose.crypto.RSASSASigner;
import com.nimbusds.jose.jwk.Curve;
import com.nimbusds.jose.jwk.ECKey;
import com.nimbusds.jose.jwk.JWKSet;
import com.nimbusds.jose.jwk.RSAKey;
import com.nimbusds.jose.jwk.gen.ECKeyGenerator;
import com.nimbusds.jose.jwk.gen.RSAKeyGenerator;
import com.nimbusds.jwt.JWTClaimsSet;
import com.nimbusds.jwt.SignedJWT;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.Date;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;

/** An OpenID Connect issuer that describes itself and has keys, and nothing else. */
public final class FakeIssuer implements AutoCloseable {

  public static final String AUDIENCE = "asyncflow";

  private final HttpServer http;
  private final AtomicInteger asked = new AtomicInteger();
  private volatile RSAKey rsa = newRsa("rsa-1");
  private final ECKey ec;

  public FakeIssuer() {
    try {
      ec = new ECKeyGenerator(Curve.P_256).keyID("ec-1").generate();
      http = HttpServer.create(new InetSocketAddress(InetAddress.getByName("127.0.0.1"), 0), 0);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (JOSEException e) {
      throw new IllegalStateException(e);
    }
    answer(
        "/.well-known/openid-configuration",
        () -> "{\"issuer\":\"" + url() + "\",\"jwks_uri\":\"" + url() + "/keys\"}");
    answer(
        "/keys",
        () -> {
          asked.incrementAndGet();
          return new JWKSet(List.of(rsa.toPublicJWK(), ec.toPublicJWK())).toString();
        });
    http.start();
  }

  private static RSAKey newRsa(String id) {
    try {
      return new RSAKeyGenerator(2048).keyID(id).generate();
    } catch (JOSEException e) {
      throw new IllegalStateException(e);
    }
  }

  private void answer(String path, Supplier<String> body) {
    http.createContext(
        path,
        exchange -> {
          byte[] bytes = body.get().getBytes(StandardCharsets.UTF_8);
          exchange.getResponseHeaders().add("Content-Type", "application/json");
          exchange.sendResponseHeaders(200, bytes.length);
          exchange.getResponseBody().write(bytes);
          exchange.close();
        });
  }

  public String url() {
    return "http://127.0.0.1:" + http.getAddress().getPort();
  }

  /** How often somebody has read the keys. */
  public int asked() {
    return asked.get();
  }

  /** Replaces the RSA key by another one. */
  public void rotate(String id) {
    rsa = newRsa(id);
  }

  public RSAKey rsa() {
    return rsa;
  }

  /** The claims of a good token, to be changed. */
  public JWTClaimsSet.Builder claims(String subject, String... roles) {
    Instant now = Instant.now();
    return new JWTClaimsSet.Builder()
        .issuer(url())
        .audience(AUDIENCE)
        .subject(subject)
        .issueTime(Date.from(now))
        .expirationTime(Date.from(now.plus(Duration.ofMinutes(30))))
        .claim("asyncflow_roles", List.of(roles));
  }

  /** A token signed by the RSA key. */
  public String token(JWTClaimsSet.Builder claims) {
    return signed(JWSAlgorithm.RS256, rsa.getKeyID(), claims, signer(rsa));
  }

  /** A token signed by the elliptic key. */
  public String ecToken(JWTClaimsSet.Builder claims) {
    try {
      return signed(JWSAlgorithm.ES256, ec.getKeyID(), claims, new ECDSASigner(ec));
    } catch (JOSEException e) {
      throw new IllegalStateException(e);
    }
  }

  public static JWSSigner signer(RSAKey key) {
    try {
      return new RSASSASigner(key);
    } catch (JOSEException e) {
      throw new IllegalStateException(e);
    }
  }

  public static String signed(
      JWSAlgorithm algorithm, String keyId, JWTClaimsSet.Builder claims, JWSSigner signer) {
    try {
      SignedJWT token =
          new SignedJWT(new JWSHeader.Builder(algorithm).keyID(keyId).build(), claims.build());
      token.sign(signer);
      return token.serialize();
    } catch (JOSEException e) {
      throw new IllegalStateException(e);
    }
  }

  @Override
  public void close() {
    http.stop(0);
  }
}
