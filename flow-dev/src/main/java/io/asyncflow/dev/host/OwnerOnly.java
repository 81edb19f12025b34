package io.asyncflow.dev.host;

import io.asyncflow.dev.DevException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.SecureRandom;
import java.util.HexFormat;
import java.util.Set;

/**
 * Creates directories and files that only their owner can access, because they may contain
 * passwords.
 */
public final class OwnerOnly {
  private static final Set<PosixFilePermission> DIRECTORY =
      PosixFilePermissions.fromString("rwx------");
  static final FileAttribute<?> NEW_DIRECTORY = PosixFilePermissions.asFileAttribute(DIRECTORY);
  private static final FileAttribute<?> NEW_FILE =
      PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"));
  private static final int PASSWORD_BYTES = 16;

  private OwnerOnly() {}

  /**
   * Creates a directory, or removes other users' permissions from an existing one of an earlier
   * version. Only for Asyncflow's own directories: others may use a directory that the user names.
   */
  public static Path directory(Path directory) {
    try {
      return Files.setPosixFilePermissions(FileTree.create(directory), DIRECTORY);
    } catch (IOException e) {
      throw new DevException(
          "The directory " + directory + " cannot be made for its owner alone.", e);
    }
  }

  /** Creates an empty file; replaces an existing one. */
  public static Path emptyFile(Path file) throws IOException {
    Files.deleteIfExists(file);
    return newFile(file);
  }

  /** Creates an empty file; fails if there is one, also one that was made just now. */
  public static Path newFile(Path file) throws IOException {
    return Files.createFile(file, NEW_FILE);
  }

  /** Writes a file atomically: a reader gets the old text or the new one. */
  public static void write(Path file, String text) {
    try {
      Path unfinished = emptyFile(file.resolveSibling(file.getFileName() + ".unfinished"));
      Files.writeString(unfinished, text, StandardOpenOption.WRITE);
      Files.move(unfinished, file, StandardCopyOption.ATOMIC_MOVE);
    } catch (IOException e) {
      throw new DevException("The file " + file + " cannot be written.", e);
    }
  }

  /** A random password of letters and digits, which need no escaping in URLs, SQL and files. */
  public static String newPassword() {
    byte[] random = new byte[PASSWORD_BYTES];
    new SecureRandom().nextBytes(random);
    return HexFormat.of().formatHex(random);
  }
}
