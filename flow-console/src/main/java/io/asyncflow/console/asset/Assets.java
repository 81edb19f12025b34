package io.asyncflow.console.asset;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.zip.GZIPOutputStream;

/** The static files, read once. Immutable. */
public final class Assets {

  private static final String FOLDER = "/META-INF/asyncflow-console/static/";
  private static final int HASH_BYTES = 6;

  /** Scripts that change what is seen at once: painted before, it would move what is beside it. */
  public static final Set<String> BEFORE_PAINT = Set.of("live.js", "list.js", "map.js");

  /** Scripts that every page loads; they load no others. */
  public static final List<String> SCRIPTS =
      List.of("times.js", "live.js", "dialog.js", "json.js", "keys.js", "palette.js", "prefs.js");

  /** Scripts that the pages of a place load besides. */
  public static final Map<String, String> SCRIPTS_OF_PLACES =
      Map.of("tasks", "list.js", "jobs", "map.js", "types", "chart.js");

  private static final Map<String, String> TYPES =
      Map.of(
          "css", "text/css;charset=UTF-8",
          "js", "text/javascript;charset=UTF-8",
          "svg", "image/svg+xml");

  private static final List<String> PICTURES_AND_STYLES =
      List.of("console.css", "icons.svg", "favicon.svg");

  /**
   * A file.
   *
   * @param compressed by gzip
   */
  public record Asset(String type, byte[] content, byte[] compressed) {}

  private final Map<String, Asset> files = new TreeMap<>();
  private final String hash;

  public Assets() {
    MessageDigest digest = sha256();
    PICTURES_AND_STYLES.forEach(this::load);
    SCRIPTS.forEach(this::load);
    SCRIPTS_OF_PLACES.values().forEach(this::load);
    files.values().forEach(file -> digest.update(file.content()));
    this.hash = HexFormat.of().formatHex(digest.digest(), 0, HASH_BYTES);
  }

  private void load(String name) {
    try (InputStream in = Assets.class.getResourceAsStream(FOLDER + name)) {
      byte[] content = in.readAllBytes();
      String type = TYPES.get(name.substring(name.lastIndexOf('.') + 1));
      files.put(name, new Asset(type, content, compress(content)));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static byte[] compress(byte[] content) throws IOException {
    ByteArrayOutputStream compressed = new ByteArrayOutputStream();
    try (OutputStream gzip = new GZIPOutputStream(compressed)) {
      gzip.write(content);
    }
    return compressed.toByteArray();
  }

  private static MessageDigest sha256() {
    try {
      return MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every JDK has SHA-256", e);
    }
  }

  /** Changes with any of the files. */
  public String hash() {
    return hash;
  }

  public Optional<Asset> find(String name) {
    return Optional.ofNullable(files.get(name));
  }

  /** Of all files, by name. */
  public Map<String, Asset> all() {
    return Map.copyOf(files);
  }
}
