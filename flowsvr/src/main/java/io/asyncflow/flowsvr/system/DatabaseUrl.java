package io.asyncflow.flowsvr.system;

/** What may be said aloud of a database's URL. */
public final class DatabaseUrl {

  private DatabaseUrl() {}

  /** The URL without its parameters and its user, either of which may bring a password. */
  public static String withoutSecrets(String url) {
    return url.replaceFirst("\\?.*", "").replaceFirst("//[^/]*@", "//");
  }
}
