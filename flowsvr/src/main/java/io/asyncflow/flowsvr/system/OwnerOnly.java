package io.asyncflow.flowsvr.system;

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
 * Files and directories that only the server's own user may read, since contexts lie in them: made
 * as such, so that there is no moment at which others may. Where a file system has no such
 * permissions nothing is done.
 */
public final class OwnerOnly {

  private static final Logger log = LoggerFactory.getLogger(OwnerOnly.class);
  private static final Set<PosixFilePermission> DIRECTORY =
      PosixFilePermissions.fromString("rwx------");
  private static final Set<PosixFilePermission> FILE = PosixFilePermissions.fromString("rw-------");

  private OwnerOnly() {}

  /** Makes a directory whose parent is there, as {@link Files#createDirectory} does. */
  public static void createDirectory(Path directory) throws IOException {
    Files.createDirectory(directory, attributes(directory, DIRECTORY));
  }

  /** Makes what there is not of a directory and its parents; those that are there stay as is. */
  public static void createDirectories(Path directory) throws IOException {
    Files.createDirectories(directory, attributes(directory, DIRECTORY));
  }

  /** Opens a file, which is made if the options say so. */
  public static FileChannel open(Path file, Set<? extends OpenOption> options) throws IOException {
    return FileChannel.open(file, options, attributes(file, FILE));
  }

  /**
   * Takes from others what an earlier version has let them; one that is not there, or a link, is
   * left alone.
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
      Set<PosixFilePermission> wanted = isDirectory ? DIRECTORY : FILE;
      if (!view.readAttributes().permissions().equals(wanted)) {
        view.setPermissions(wanted);
      }
    } catch (IOException e) {
      log.warn("others may read {}, which cannot be changed: {}", existing, e.toString());
    }
  }

  private static FileAttribute<?>[] attributes(Path path, Set<PosixFilePermission> permissions) {
    boolean isPosix = path.getFileSystem().supportedFileAttributeViews().contains("posix");
    return isPosix
        ? new FileAttribute<?>[] {PosixFilePermissions.asFileAttribute(permissions)}
        : new FileAttribute<?>[0];
  }
}
