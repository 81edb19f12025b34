package io.asyncflow.dev;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/** What differs between the database engines that {@link DatabaseServer} runs. */
interface DatabaseFlavour {
  /** Engine and version as people say it. */
  String engine();

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

  /** Options of this engine alone. */
  List<String> options(Durability durability);
}
