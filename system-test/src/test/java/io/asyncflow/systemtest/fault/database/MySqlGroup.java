package io.asyncflow.systemtest.fault.database;

import static java.nio.file.StandardCopyOption.COPY_ATTRIBUTES;
import static org.awaitility.Awaitility.await;

import io.asyncflow.systemtest.cluster.DatabaseAccess;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/**
 * Servers of MySQL 8.0.33 on loopback in group replication with one primary: what is committed
 * there has reached most of them.
 */
final class MySqlGroup implements AutoCloseable {

  private static final Duration PATIENCE = Duration.ofSeconds(120);

  private final List<MySqlMember> members = new ArrayList<>();

  private MySqlGroup() {}

  /** Starts a group whose first member is the primary. */
  static MySqlGroup start(Path directory, int size) {
    MySqlGroup group = new MySqlGroup();
    try {
      List<String> seats = freeSeats(size);
      for (int number = 1; number <= size; number++) {
        Path data = directory.resolve("member-" + number);
        if (number > 1) {
          sharePassword(directory.resolve("member-1"), data);
        }
        MySqlMember member = MySqlMember.start(number, seats.get(number - 1), seats, data);
        group.members.add(member);
        if (number == 1) {
          member.found();
        } else {
          member.join();
        }
        group.awaitOnline(number);
      }
      return group;
    } catch (RuntimeException e) {
      group.close();
      throw e;
    }
  }

  /** One password opens all of them, for clients do not know which one they reach. */
  private static void sharePassword(Path first, Path member) {
    try {
      Files.createDirectories(member);
      Files.copy(first.resolve("secrets"), member.resolve("secrets"), COPY_ATTRIBUTES);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static List<String> freeSeats(int count) {
    List<ServerSocket> sockets = new ArrayList<>();
    try {
      for (int i = 0; i < count; i++) {
        sockets.add(new ServerSocket(0, 1, InetAddress.getLoopbackAddress()));
      }
      List<String> seats =
          sockets.stream().map(socket -> "127.0.0.1:" + socket.getLocalPort()).toList();
      for (ServerSocket socket : sockets) {
        socket.close();
      }
      return seats;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void awaitOnline(int count) {
    await("members of the group")
        .atMost(PATIENCE)
        .until(
            () ->
                members.stream()
                    .filter(member -> member.server().isRunning())
                    .allMatch(member -> member.online() == count));
  }

  /**
   * The way to all of them: the driver takes the first that lets it in. The order is that in which
   * they become primary, and a session that came to another than the first may write there, too.
   */
  DatabaseAccess access(String schema) {
    String hosts = members.stream().map(MySqlMember::address).collect(Collectors.joining(","));
    return new DatabaseAccess(
        "jdbc:mysql://"
            + hosts
            + "/"
            + schema
            + "?failOverReadOnly=false"
            + "&queriesBeforeRetrySource=0"
            + "&secondsBeforeRetrySource=0"
            + "&createDatabaseIfNotExist=true"
            + "&sslMode=DISABLED"
            + "&allowPublicKeyRetrieval=true",
        members.get(0).server().endpoint().user(),
        members.get(0).server().endpoint().password());
  }

  MySqlMember primary() {
    return members.stream()
        .filter(MySqlMember::isPrimary)
        .findFirst()
        .orElseThrow(() -> new IllegalStateException("the group has no primary"));
  }

  void awaitPrimary(MySqlMember wanted) {
    await("the new primary").atMost(PATIENCE).until(wanted::isPrimary);
  }

  /** SIGKILL. */
  void kill(MySqlMember member) {
    member.server().kill();
  }

  /** Starts a killed member again; it catches up with the others and is one of them then. */
  void bringBack(MySqlMember member) {
    member.server().restart();
    member.join();
    awaitOnline(members.size());
  }

  @Override
  public void close() {
    members.forEach(
        member -> {
          member.server().kill();
          member.server().close();
        });
  }
}
