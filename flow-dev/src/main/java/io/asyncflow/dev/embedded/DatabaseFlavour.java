package io.asyncflow.dev.embedded;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/** What differs between the products that {@link DatabaseServer} runs. */
interface DatabaseFlavour {
  /** Product and version as people say it. */
  String product();

  /** The server program, found or unpacked; slow the first time. */
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
   * Statements, one a line, that give root a password and leave nobody else who gets in without.
   * They run at each start, with all rights.
   */
  List<String> setPassword(String password);

  /** Options of this product alone. */
  List<String> options(Durability durability);
}
