package io.asyncflow.flowsvr.edge.act;

import java.net.InetAddress;
import java.net.UnknownHostException;

/**
 * The author of an act, as far as it was proven.
 *
 * @param name such as {@code key:3Qm81LtzGh}, {@code env:FLOW_API_KEY}, {@code local}; never a
 *     secret
 * @param ip {@code null} if it is not known
 * @param source how the act came: {@code api}, {@code bulk} for one of many that a caller asked for
 *     at once, or {@code server} if no caller asked for it
 * @param traceId of the request; empty if there is none
 */
public record Actor(String name, InetAddress ip, String source, String traceId) {

  /** The server by itself. */
  public static final Actor SERVER = new Actor("server", null, "server", "");

  /** The caller of a request. */
  public static Actor ofRequest(String name, InetAddress ip, String traceId) {
    return new Actor(name, ip, "api", traceId);
  }

  /** The same for acts that it asked for at once. */
  public Actor inBulk() {
    return new Actor(name, ip, "bulk", traceId);
  }

  /** The address as a column has it; {@code null} if it is not known. */
  public byte[] ipBytes() {
    return ip == null ? null : ip.getAddress();
  }

  /** The address in a column; {@code null} if there is none. */
  public static InetAddress address(byte[] ip) {
    try {
      return ip == null ? null : InetAddress.getByAddress(ip);
    } catch (UnknownHostException e) {
      return null; // neither four bytes nor sixteen: written by SQL
    }
  }

  /** The address as a text; {@code null} if it is not known. */
  static String text(InetAddress ip) {
    return ip == null ? null : ip.getHostAddress();
  }
}
