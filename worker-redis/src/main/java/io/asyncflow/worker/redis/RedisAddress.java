package io.asyncflow.worker.redis;

import java.net.URI;
import java.net.URISyntaxException;

/**
 * The address of a Redis.
 *
 * @param address scheme, host and port in Redisson's format
 * @param user {@code null} for none
 * @param password {@code null} for none
 * @param database the database's number, 0 by default
 */
record RedisAddress(String address, String user, String password, int database) {

  private static final int PORT = 6379;

  /**
   * @param url as {@code redis://user:password@host:6379/0}, or {@code rediss://} for TLS
   * @throws IllegalArgumentException if it is not such an address; the message continues "must be"
   */
  static RedisAddress parse(String url) {
    try {
      return parse(new URI(url));
    } catch (URISyntaxException | IllegalArgumentException e) {
      throw new IllegalArgumentException(
          "the address of a Redis, such as redis://127.0.0.1:6379, and not '"
              + url.replaceAll("//[^@/]*@", "//…@")
              + "'");
    }
  }

  private static RedisAddress parse(URI url) {
    boolean redis = "redis".equals(url.getScheme()) || "rediss".equals(url.getScheme());
    if (!redis || url.getHost() == null) {
      throw new IllegalArgumentException();
    }
    int port = url.getPort() < 0 ? PORT : url.getPort();
    String[] user = url.getUserInfo() == null ? new String[] {""} : url.getUserInfo().split(":", 2);
    String path = url.getPath() == null ? "" : url.getPath().replace("/", "");
    return new RedisAddress(
        url.getScheme() + "://" + url.getHost() + ":" + port,
        user[0].isEmpty() ? null : user[0],
        user.length < 2 ? null : user[1],
        path.isEmpty() ? 0 : Integer.parseInt(path));
  }

  /** The address without the password. */
  @Override
  public String toString() {
    return address + "/" + database;
  }
}
