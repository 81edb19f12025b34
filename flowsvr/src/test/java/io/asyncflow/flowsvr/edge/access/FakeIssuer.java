package io.asyncflow.flowsvr.edge.access;

import com.nimbusds.jose.JOSEException;
import com.nimbusds.jose.JWSAlgorithm;
import com.nimbusds.jose.JWSHeader;
import com.nimbusds.jose.JWSSigner;
import com.nimbusds.jose.crypto.ECDSASigner;
import com.nimbusds.jose.crypto.RSASSASigner;
import com.nimbusds.jose.jwk.Curve;
import com.nimbusds.jose.jwk.ECKey;
import com.nimbusds.jose.jwk.JWK;
import com.nimbusds.jose.jwk.JWKSet;
import com.nimbusds.jose.jwk.OctetKeyPair;
import com.nimbusds.jose.jwk.RSAKey;
import com.nimbusds.jose.jwk.gen.ECKeyGenerator;
import com.nimbusds.jose.jwk.gen.RSAKeyGenerator;
import com.nimbusds.jose.util.Base64URL;
import com.nimbusds.jwt.JWTClaimsSet;
import com.nimbusds.jwt.SignedJWT;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.URLDecoder;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.MessageDigest;
import java.security.Signature;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.Base64;
import java.util.Date;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/**
 * An OpenID Connect issuer: it describes itself, has keys, and exchanges codes for tokens. At its
 * page a person has logged in as soon as a test says so.
 */
public final class FakeIssuer implements AutoCloseable {

  public static final String AUDIENCE = "asyncflow";
  public static final String CLIENT = "asyncflow-console";
  public static final String SECRET = "s3cret: of the client";

  /** Name and secret are escaped as in a form before they are joined. */
  private static final String CLIENT_PROOF =
      "Basic "
          + Base64.getEncoder()
              .encodeToString(
                  (CLIENT + ":" + URLEncoder.encode(SECRET, StandardCharsets.UTF_8))
                      .getBytes(StandardCharsets.US_ASCII));

  private final HttpServer http;
  private final AtomicInteger asked = new AtomicInteger();
  private volatile RSAKey rsa = newRsa("rsa-1");
  private final ECKey ec;
  private final KeyPair ed = newEd25519();
  private final Map<String, Code> codes = new ConcurrentHashMap<>();
  private final AtomicInteger exchanges = new AtomicInteger();
  private final ExecutorService threads = Executors.newCachedThreadPool();
  private volatile CountDownLatch asleep = new CountDownLatch(0);
  private volatile boolean isDripping;
  private volatile int failure;

  /**
   * A code that waits for its client.
   *
   * @param asked what the client has sent the browser with
   * @param token what the client gets for it
   */
  private record Code(Map<String, String> asked, String token) {}

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
        () ->
            """
            {"issuer":"%1$s","jwks_uri":"%1$s/keys","authorization_endpoint":"%1$s/page?theme=dark",
             "token_endpoint":"%1$s/token","authorization_response_iss_parameter_supported":true,
             "response_types_supported":["code"],"code_challenge_methods_supported":["S256"]}
            """
                .formatted(url()));
    answer(
        "/keys",
        () -> {
          asked.incrementAndGet();
          return new JWKSet(List.of(rsa.toPublicJWK(), ec.toPublicJWK(), edKey())).toString();
        });
    http.createContext("/token", this::exchange);
    http.setExecutor(threads);
    http.start();
  }

  private static KeyPair newEd25519() {
    try {
      return KeyPairGenerator.getInstance("Ed25519").generateKeyPair();
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException(e);
    }
  }

  private JWK edKey() {
    byte[] encoded = ed.getPublic().getEncoded();
    byte[] x = Arrays.copyOfRange(encoded, encoded.length - 32, encoded.length);
    return new OctetKeyPair.Builder(Curve.Ed25519, Base64URL.encode(x)).keyID("ed-1").build();
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
          awaitAwake();
          if (isDripping && path.equals("/keys")) {
            asked.incrementAndGet();
            drip(exchange);
          } else {
            answer(exchange, 200, body.get());
          }
        });
  }

  /** A byte now and then, until nobody listens. */
  private void drip(HttpExchange exchange) throws IOException {
    exchange.sendResponseHeaders(200, 100_000);
    while (isDripping) {
      exchange.getResponseBody().write(' ');
      exchange.getResponseBody().flush();
      LockSupport.parkNanos(Duration.ofMillis(100).toNanos());
    }
    exchange.close();
  }

  private static void answer(HttpExchange exchange, int status, String body) throws IOException {
    byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
    exchange.getResponseHeaders().add("Content-Type", "application/json");
    exchange.sendResponseHeaders(status, bytes.length);
    exchange.getResponseBody().write(bytes);
    exchange.close();
  }

  private void awaitAwake() {
    try {
      asleep.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Answers nothing until it is awake again. */
  public void sleep() {
    asleep = new CountDownLatch(1);
  }

  /** Answers its keys byte by byte until it is awake again. */
  public void drip() {
    isDripping = true;
  }

  /** Answers this status instead of tokens until it is awake again. */
  public void fail(int status) {
    failure = status;
  }

  public void wake() {
    failure = 0;
    isDripping = false;
    asleep.countDown();
  }

  /** How often a client wanted a token for a code. */
  public int exchanges() {
    return exchanges.get();
  }

  /**
   * A person logs in at the page to which a client has sent the browser.
   *
   * @param address with the fields of the client
   * @param claims of the token for the person; without a nonce, it gets that of the client
   * @return the code with which the browser goes back
   */
  public String logIn(URI address, JWTClaimsSet.Builder claims) {
    Map<String, String> asked = fields(address.getRawQuery());
    if (claims.getClaims().get("nonce") == null) {
      claims.claim("nonce", asked.get("nonce"));
    }
    String code = UUID.randomUUID().toString();
    codes.put(code, new Code(asked, token(claims.audience(asked.get("client_id")))));
    return code;
  }

  /** The fields of a query or a form. */
  public static Map<String, String> fields(String form) {
    return Arrays.stream(form.split("&"))
        .map(field -> field.split("=", 2))
        .collect(
            Collectors.toMap(
                field -> field[0], field -> URLDecoder.decode(field[1], StandardCharsets.UTF_8)));
  }

  /** A code is good once, for the client that it was made for and has the verifier. */
  private void exchange(HttpExchange exchange) throws IOException {
    exchanges.incrementAndGet();
    awaitAwake();
    Map<String, String> sent =
        fields(new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8));
    String proof = exchange.getRequestHeaders().getFirst("Authorization");
    Code code = codes.remove(sent.get("code"));
    if (failure != 0) {
      answer(exchange, failure, "<html>busy</html>");
    } else if (!CLIENT_PROOF.equals(proof)) {
      answer(exchange, 401, "{\"error\":\"invalid_client\"}");
    } else if (code == null
        || !"authorization_code".equals(sent.get("grant_type"))
        || !code.asked().get("redirect_uri").equals(sent.get("redirect_uri"))
        || !"S256".equals(code.asked().get("code_challenge_method"))
        || !code.asked().get("code_challenge").equals(challenge(sent.get("code_verifier")))) {
      answer(exchange, 400, "{\"error\":\"invalid_grant\",\"error_description\":\"<b>no</b>\"}");
    } else {
      answer(
          exchange,
          200,
          "{\"access_token\":\"a\",\"token_type\":\"Bearer\",\"id_token\":\""
              + code.token()
              + "\"}");
    }
  }

  private static String challenge(String verifier) {
    try {
      byte[] digest =
          MessageDigest.getInstance("SHA-256")
              .digest(String.valueOf(verifier).getBytes(StandardCharsets.US_ASCII));
      return Base64URL.encode(digest).toString();
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException(e);
    }
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

  /** A token signed by the key of Ed25519, under one of the algorithm's two names. */
  public String edToken(JWSAlgorithm algorithm, JWTClaimsSet.Builder claims) {
    try {
      JWSHeader header = new JWSHeader.Builder(algorithm).keyID("ed-1").build();
      String signed =
          header.toBase64URL() + "." + Base64URL.encode(claims.build().toString()).toString();
      Signature signature = Signature.getInstance("Ed25519");
      signature.initSign(ed.getPrivate());
      signature.update(signed.getBytes(StandardCharsets.US_ASCII));
      return signed + "." + Base64URL.encode(signature.sign());
    } catch (GeneralSecurityException e) {
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
    wake();
    http.stop(0);
    threads.shutdownNow();
  }
}
