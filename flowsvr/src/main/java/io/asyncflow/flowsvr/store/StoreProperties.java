package io.asyncflow.flowsvr.store;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.util.unit.DataSize;

/**
 * Where objects lie, and how much of them.
 *
 * @param dir where they lie; empty for {@code .asyncflow/store} in the user's home
 * @param maxObject the largest that is taken
 * @param minFree what an upload must leave free on the disk
 * @param grace how long an object stays at least, whether or not anything refers to it
 * @param transfersAtOnce uploads and downloads under way on this server; each takes a thread
 */
@ConfigurationProperties("flow.store")
record StoreProperties(
    @DefaultValue("") String dir,
    @DefaultValue("1GB") DataSize maxObject,
    @DefaultValue("512MB") DataSize minFree,
    @DefaultValue("1h") Duration grace,
    @DefaultValue("100") int transfersAtOnce) {

  Path directory() {
    return dir.isBlank() ? defaultDirectory() : Path.of(dir.strip()).toAbsolutePath();
  }

  /** In the working directory where there is no home that can be written. */
  private static Path defaultDirectory() {
    Path home = Path.of(System.getProperty("user.home", ""));
    boolean usable = home.isAbsolute() && Files.isWritable(home);
    return (usable ? home : Path.of("")).resolve(".asyncflow").resolve("store").toAbsolutePath();
  }
}
