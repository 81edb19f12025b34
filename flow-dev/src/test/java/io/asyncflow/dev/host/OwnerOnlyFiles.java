package io.asyncflow.dev.host;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;

/** What other users of the machine may see of a server: nothing. */
public final class OwnerOnlyFiles {
  private OwnerOnlyFiles() {}

  /**
   * Checks that a password is in one file alone, which only its owner can read.
   *
   * @param pid the server's, for its arguments
   */
  public static void assertClosed(Path directory, Path secrets, String password, long pid)
      throws IOException {
    assertThat(permissionsOf(directory)).isEqualTo("rwx------");
    assertThat(permissionsOf(secrets)).isEqualTo("rw-------");
    assertThat(secrets).content().contains(password);
    assertThat(permissionsOf(directory.resolve("server.log"))).isEqualTo("rw-------");
    assertThat(Files.readString(directory.resolve("server.log"))).doesNotContain(password);
    assertThat(Files.readString(Path.of("/proc", Long.toString(pid), "cmdline")))
        .contains(directory.toString())
        .doesNotContain(password);
  }

  public static String permissionsOf(Path file) throws IOException {
    return PosixFilePermissions.toString(Files.getPosixFilePermissions(file));
  }
}
