package io.asyncflow.flowsvr.base.system;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFileAttributeView;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Creates files and directories that only the server's user may read, because they contain task
 * contexts. They have these permissions from their creation on. On file systems without POSIX
 * permissions nothing is restricted.
 */
public final class OwnerOnly {

  private static final Logger log = LoggerFactory.getLogger(OwnerOnly.class);
  private static final Set<PosixFilePermission> DIRECTORY =
      PosixFilePermissions.fromString("rwx------");
  private static final Set<PosixFilePermission> FILE = PosixFilePermissions.fromString("rw-------");

  private OwnerOnly() {}

  /** Creates a directory whose parent exists, as {@link Files#createDirectory} does. */
  public static void createDirectory(Path directory) throws IOException {
    Files.createDirectory(directory, attributes(directory, DIRECTORY));
  }

  /** Creates a directory and its missing parents; existing ones are not changed. */
  public static void createDirectories(Path directory) throws IOException {
    Files.createDirectories(directory, attributes(directory, DIRECTORY));
  }

  /** Opens a file, and creates it if the options ask for it. */
  public static FileChannel open(Path file, Set<? extends OpenOption> options) throws IOException {
    return FileChannel.open(file, options, attributes(file, FILE));
  }

  /**
   * Removes other users' permissions, which an earlier version may have left. A missing file or a
   * link is not changed.
   */
  public static void protect(Path existing) {
    PosixFileAttributeView view =
        Files.getFileAttributeView(
            existing, PosixFileAttributeView.class, LinkOption.NOFOLLOW_LINKS);
    boolean isDirectory = Files.isDirectory(existing, LinkOption.NOFOLLOW_LINKS);
    if (view == null || !isDirectory && !Files.isRegularFile(existing, LinkOption.NOFOLLOW_LINKS)) {
      return;
    }
    try {
      Set<PosixFilePermission> expected = isDirectory ? DIRECTORY : FILE;
      if (!view.readAttributes().permissions().equals(expected)) {
        view.setPermissions(expected);
      }
    } catch (IOException e) {
      log.warn(
          "other users may read {}, and its permissions cannot be changed: {}",
          existing,
          e.toString());
    }
  }

  /**
   * Whether users besides the file's owner and group may read it. Secrets of Kubernetes belong to a
   * group that only the server's process is in.
   */
  public static boolean isReadableByOthers(Path file) throws IOException {
    PosixFileAttributeView view =
        Files.getFileAttributeView(file, PosixFileAttributeView.class); // follows links
    return view != null
        && view.readAttributes().permissions().contains(PosixFilePermission.OTHERS_READ);
  }

  private static FileAttribute<?>[] attributes(Path path, Set<PosixFilePermission> permissions) {
    boolean isPosix = path.getFileSystem().supportedFileAttributeViews().contains("posix");
    return isPosix
        ? new FileAttribute<?>[] {PosixFilePermissions.asFileAttribute(permissions)}
        : new FileAttribute<?>[0];
  }
}
