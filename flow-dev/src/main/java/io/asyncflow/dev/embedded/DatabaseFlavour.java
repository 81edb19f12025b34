package io.asyncflow.dev.embedded;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/** The differences between the products that {@link DatabaseServer} runs. */
interface DatabaseFlavour {
  /** The display name of product and version. */
  String product();

  /** The server program; unpacks it if needed, which is slow the first time. */
  Path program();

  /** The directory that the program calls its base directory. */
  Path baseDirectory();

  /** Environment variables that the program needs. */
  Map<String, String> environment();

  /**
   * Makes the system tables.
   *
   * @param data the data directory, existing and empty
   * @param log where the program's output goes
   * @param options that every run of the program needs
   */
  void initialize(Path data, Path log, List<String> options);

  /**
   * Statements, one for each line, that set root's password and remove all logins without a
   * password. They run at each start, with all privileges.
   */
  List<String> setPassword(String password);

  /** Options of this product alone. */
  List<String> options(Durability durability);
}
