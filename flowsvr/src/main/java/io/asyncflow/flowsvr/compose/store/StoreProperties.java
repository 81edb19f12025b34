package io.asyncflow.flowsvr.compose.store;

import io.asyncflow.flowsvr.base.system.db.DatabaseUrl;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.util.unit.DataSize;

/**
 * The settings of the context store.
 *
 * @param dir the directory of the objects; empty for one named after the database in {@code
 *     .asyncflow/store} in the user's home
 * @param maxObject the largest accepted object
 * @param minFree the disk space that an upload must leave free
 * @param grace the least age at which an unreferenced object is removed
 * @param transfersAtOnce the limit of concurrent uploads and downloads on this server; each
 *     occupies a thread
 * @param s3 the bucket to use instead, if it names one
 */
@ConfigurationProperties("flow.store")
public record StoreProperties(
    @DefaultValue("") String dir,
    @DefaultValue("1GB") DataSize maxObject,
    @DefaultValue("512MB") DataSize minFree,
    @DefaultValue("1h") Duration grace,
    @DefaultValue("100") int transfersAtOnce,
    @DefaultValue S3 s3) {

  /**
   * A bucket instead of a directory.
   *
   * @param bucket the name of an existing bucket; empty for none
   * @param prefix the prefix of all keys in it, such as {@code asyncflow/}
   * @param region the AWS region; any value for other stores
   * @param endpoint the URL of an S3-compatible store, addressed with the bucket in the path; empty
   *     for AWS
   */
  record S3(
      @DefaultValue("") String bucket,
      @DefaultValue("") String prefix,
      @DefaultValue("us-east-1") String region,
      @DefaultValue("") String endpoint) {}

  /**
   * The directory to use.
   *
   * @param databaseUrl the database with the objects' tasks: objects of another database's tasks
   *     would look like garbage
   */
  Path directory(String databaseUrl) {
    return dir.isBlank()
        ? defaultDirectory().resolve(nameOf(databaseUrl))
        : Path.of(dir.strip()).toAbsolutePath();
  }

  /** The database as a file name: {@code 127.0.0.1_3306_asyncflow}. */
  private static String nameOf(String databaseUrl) {
    return DatabaseUrl.withoutSecrets(databaseUrl)
        .replaceFirst("^jdbc:[^/]*//", "")
        .replaceAll("[^A-Za-z0-9.-]+", "_");
  }

  /**
   * The default directory, in the user's home; in the working directory if there is no writable
   * home.
   */
  private static Path defaultDirectory() {
    Path home = Path.of(System.getProperty("user.home", ""));
    boolean usable = home.isAbsolute() && Files.isWritable(home);
    return (usable ? home : Path.of("")).resolve(".asyncflow").resolve("store").toAbsolutePath();
  }
}
