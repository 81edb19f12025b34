package io.asyncflow.worker.engine;

import io.asyncflow.worker.ChildPrograms;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.regex.Pattern;

/**
 * The directories in which a worker has its secrets: its spools, and the directories of its key
 * files.
 *
 * <p>A file alone cannot be hidden for long: a key is replaced by a new file that takes its name,
 * or by a link that leads elsewhere.
 */
final class SecretDirectories {

  private static final String OWN_FILES = ".asyncflow";

  private static final Pattern OF_ASYNCFLOW = Pattern.compile("(FLOW|ASYNCFLOW)_.*");

  /** Certificates are no secret, and often in a directory that every program needs. */
  private static final Pattern CERTIFICATES = Pattern.compile(".*_(CA|CA_?FILE|CERT)");

  /** These name files, even if there is none at the moment. */
  private static final Pattern FILES = Pattern.compile(".*(FILE|KEYSET)");

  private static final int MOST_LINKS = 40;

  /** The real directories, and what each has. */
  private final Map<Path, String> found = new LinkedHashMap<>();

  private SecretDirectories() {}

  /**
   * Finds them as they are now. A spool that does not exist is made: the worker may make it when
   * the engine is running, and only what exists can be hidden.
   *
   * @param environment the worker's
   * @param home the home of the worker's user
   * @return the real directories, each with the reason
   */
  static Map<Path, String> in(Map<String, String> environment, Path home) {
    SecretDirectories directories = new SecretDirectories();
    if (home.isAbsolute()) {
      directories.addSpool(home.resolve(OWN_FILES));
    }
    ChildPrograms.spools().forEach(directories::addSpool);
    directories.addFiles("the worker's key file", ChildPrograms.keyFiles());
    environment.forEach(directories::addVariable);
    return directories.found;
  }

  private void addSpool(Path spool) {
    try {
      if (!Files.isDirectory(spool)) {
        Files.createDirectories(
            spool,
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
      }
      found.putIfAbsent(spool.toRealPath(), "the worker's spool");
    } catch (IOException | UnsupportedOperationException e) {
      // The worker has the same rights and cannot make it either.
    }
  }

  private void addVariable(String variable, String value) {
    if (!OF_ASYNCFLOW.matcher(variable).matches() || CERTIFICATES.matcher(variable).matches()) {
      return;
    }
    Path file = pathOf(value);
    if (file != null && (Files.isRegularFile(file) || FILES.matcher(variable).matches())) {
      addFile("the file of " + variable, file);
    }
  }

  private void addFiles(String reason, Collection<Path> files) {
    files.forEach(file -> addFile(reason, file));
  }

  /** Adds the directory of the name, and of each link on the way to the file. */
  private void addFile(String reason, Path file) {
    Path name = file.toAbsolutePath();
    try {
      for (int links = 0; links < MOST_LINKS && name.getParent() != null; links++) {
        found.putIfAbsent(name.getParent().toRealPath(), reason);
        if (!Files.isSymbolicLink(name)) {
          return;
        }
        name = name.resolveSibling(Files.readSymbolicLink(name));
      }
    } catch (IOException e) {
      // The directory does not exist, and so nothing is in it.
    }
  }

  /** The value as a path; {@code null} if it is none. */
  static Path pathOf(String value) {
    try {
      return value.isBlank() ? null : Path.of(value.strip());
    } catch (InvalidPathException e) {
      return null;
    }
  }
}
