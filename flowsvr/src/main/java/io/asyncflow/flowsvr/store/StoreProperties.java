package io.asyncflow.flowsvr.store;

import io.asyncflow.flowsvr.system.db.DatabaseUrl;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.util.unit.DataSize;

/**
 * Where objects lie, and how much of them.
 *
 * @param dir where they lie; empty for one of the database's own in {@code .asyncflow/store} in the
 *     user's home
 * @param maxObject the largest that is taken
 * @param minFree what an upload must leave free on the disk
 * @param grace how long an object stays at least, whether or not anything refers to it
 * @param transfersAtOnce uploads and downloads under way on this server; each takes a thread
 * @param s3 where they lie instead, if it names a bucket
 */
@ConfigurationProperties("flow.store")
record StoreProperties(
    @DefaultValue("") String dir,
    @DefaultValue("1GB") DataSize maxObject,
    @DefaultValue("512MB") DataSize minFree,
    @DefaultValue("1h") Duration grace,
    @DefaultValue("100") int transfersAtOnce,
    @DefaultValue S3 s3) {

  /**
   * A bucket instead of a directory.
   *
   * @param bucket which must be there; empty for none
   * @param prefix of all keys in it, as {@code asyncflow/}
   * @param region as Amazon calls it; any will do elsewhere
   * @param endpoint of a store that is not Amazon's, which is asked with the bucket in the path;
   *     empty for theirs
   */
  record S3(
      @DefaultValue("") String bucket,
      @DefaultValue("") String prefix,
      @DefaultValue("us-east-1") String region,
      @DefaultValue("") String endpoint) {}

  /**
   * The directory to use.
   *
   * @param databaseUrl whose tasks the objects are of: what another database's tasks have stored
   *     looks like garbage
   */
  Path directory(String databaseUrl) {
    return dir.isBlank()
        ? defaultDirectory().resolve(nameOf(databaseUrl))
        : Path.of(dir.strip()).toAbsolutePath();
  }

  /** As a file may be called: {@code 127.0.0.1_3306_asyncflow}. */
  private static String nameOf(String databaseUrl) {
    return DatabaseUrl.withoutSecrets(databaseUrl)
        .replaceFirst("^jdbc:[^/]*//", "")
        .replaceAll("[^A-Za-z0-9.-]+", "_");
  }

  /** In the working directory where there is no home that can be written. */
  private static Path defaultDirectory() {
    Path home = Path.of(System.getProperty("user.home", ""));
    boolean usable = home.isAbsolute() && Files.isWritable(home);
    return (usable ? home : Path.of("")).resolve(".asyncflow").resolve("store").toAbsolutePath();
  }
}
