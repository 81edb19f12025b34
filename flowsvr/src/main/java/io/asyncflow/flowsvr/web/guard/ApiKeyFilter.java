package io.asyncflow.flowsvr.web.guard;

import io.asyncflow.api.ErrorCode;
import io.asyncflow.flowsvr.web.error.ApiError;
import io.asyncflow.flowsvr.web.error.ApiErrorWriter;
import io.asyncflow.flowsvr.web.filter.FilterOrder;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import org.springframework.core.annotation.Order;
import org.springframework.http.HttpHeaders;
import org.springframework.stereotype.Component;
import org.springframework.web.filter.OncePerRequestFilter;

/** If a key is set, admits only requests that carry it. Health is open to all. */
@Component
@Order(FilterOrder.KEY)
public class ApiKeyFilter extends OncePerRequestFilter {

  private static final String SCHEME = "Bearer ";
  private static final String HEALTH = "/actuator/health";

  private final boolean needsKey;
  private final byte[] keyHash;
  private final RefusedKeys refusedKeys;

  ApiKeyFilter(AccessProperties access, RefusedKeys refusedKeys) {
    this.needsKey = access.needsKey();
    this.keyHash = hash(access.apiKey());
    this.refusedKeys = refusedKeys;
  }

  @Override
  protected void doFilterInternal(
      HttpServletRequest request, HttpServletResponse response, FilterChain chain)
      throws ServletException, IOException {
    if (!needsKey || isHealth(request) || bringsKey(request)) {
      chain.doFilter(request, response);
    } else {
      refuse(request, response);
    }
  }

  private void refuse(HttpServletRequest request, HttpServletResponse response) throws IOException {
    Duration refusedFor = refusedKeys.note(request.getRemoteAddr());
    if (refusedFor.isZero()) {
      ApiErrorWriter.write(request, response, ApiError.ofStatus(401));
      return;
    }
    response.setHeader(HttpHeaders.RETRY_AFTER, String.valueOf(refusedFor.toSeconds() + 1));
    ApiErrorWriter.write(
        request,
        response,
        ApiError.of(
            ErrorCode.LIMIT_EXCEEDED,
            "too many requests without a valid key from your address: send the server's"
                + " FLOW_API_KEY as Authorization: Bearer <key>"));
  }

  /**
   * Decides by the path as Tomcat decoded and normalized it; {@link PlainPathFilter} admits no path
   * that differs from it.
   */
  public static boolean isHealth(HttpServletRequest request) {
    String path = request.getServletPath();
    return path.equals(HEALTH) || path.startsWith(HEALTH + "/");
  }

  private boolean bringsKey(HttpServletRequest request) {
    String header = request.getHeader(HttpHeaders.AUTHORIZATION);
    if (header == null || !header.regionMatches(true, 0, SCHEME, 0, SCHEME.length())) {
      return false;
    }
    // Hashes have equal lengths, so the time of the comparison reveals nothing about the key.
    return MessageDigest.isEqual(keyHash, hash(header.substring(SCHEME.length()).strip()));
  }

  private static byte[] hash(String key) {
    try {
      return MessageDigest.getInstance("SHA-256").digest(key.getBytes(StandardCharsets.UTF_8));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every JDK has SHA-256", e);
    }
  }
}
