package io.asyncflow.dev.embedded;

import io.asyncflow.dev.DevException;
import io.asyncflow.dev.host.LoopbackPort;
import io.asyncflow.dev.host.OwnerOnly;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The login for the owner of a database's directory, in the format of the clients of MySQL and
 * MariaDB: {@code mysql --defaults-file=…/secrets asyncflow}.
 *
 * @param file in the directory of the database
 * @param password of root
 */
record DatabaseSecrets(Path file, String password) {
  private static final String NAME = "secrets";
  private static final Pattern PASSWORD = Pattern.compile("(?m)^password=(\\w+)$");

  /** The password of the database's previous start, or a new one. */
  static DatabaseSecrets in(Path directory) {
    Path file = directory.resolve(NAME);
    try {
      String text = Files.exists(file) ? Files.readString(file) : "";
      Matcher matcher = PASSWORD.matcher(text);
      return new DatabaseSecrets(file, matcher.find() ? matcher.group(1) : OwnerOnly.newPassword());
    } catch (IOException e) {
      throw new DevException("The file " + file + " cannot be read.", e);
    }
  }

  /** Writes the file, before the database gets the password, so that it cannot be lost. */
  void write(int port) {
    OwnerOnly.write(
        file,
        """
        [client]
        host=%s
        port=%s
        user=%s
        password=%s

        # The embedded server speaks no TLS, on which MariaDB's own clients insist.
        [client-mariadb]
        skip-ssl
        """
            .formatted(LoopbackPort.HOST, port, DatabaseServer.USER, password));
  }

  @Override
  public String toString() {
    return file.toString();
  }
}
