package io.asyncflow.systemtest.fault.database;

import io.asyncflow.dev.embedded.DatabaseEndpoint;
import io.asyncflow.dev.host.FileTree;
import io.asyncflow.dev.host.LoopbackPort;
import io.asyncflow.systemtest.cluster.GivenDatabase;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Real machines of one logical database on loopback, with the time-outs that they have by default:
 * what is committed there has reached most of them.
 */
abstract class DatabaseGroup<M extends GroupMember> implements AutoCloseable {

  static final String SCHEMA = "asyncflow";

  private final List<M> members = new ArrayList<>();

  /** The members that the servers write to now: one, if all is well. */
  abstract List<M> writers();

  /** Starts the next member, which is not one of the others yet. */
  abstract M start(int number, Path directory, List<String> seats);

  /** Makes the first member the group. */
  void found(M first) {}

  /**
   * Starts all.
   *
   * @param directory of their data
   */
  final void start(Path directory, int size) {
    try {
      List<String> seats = freeSeats(size);
      for (int number = 1; number <= size; number++) {
        Path data = directory.resolve("member-" + number);
        if (number > 1) {
          sharePassword(directory.resolve("member-1"), data);
        }
        M member = start(number, data, seats);
        members.add(member);
        if (number == 1) {
          found(member);
        } else {
          member.join();
        }
        awaitWhole();
      }
      members.get(0).execute("CREATE DATABASE " + SCHEMA + " CHARACTER SET utf8mb4");
    } catch (RuntimeException e) {
      close();
      throw e;
    }
  }

  /** One password opens all of them, for clients do not know which one they reach. */
  private static void sharePassword(Path first, Path member) {
    try {
      FileTree.create(member);
      Files.copy(
          first.resolve("secrets"), member.resolve("secrets"), StandardCopyOption.COPY_ATTRIBUTES);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static List<String> freeSeats(int count) {
    Set<Integer> ports = new HashSet<>();
    while (ports.size() < count) {
      ports.add(LoopbackPort.free());
    }
    return ports.stream().map(port -> LoopbackPort.HOST + ":" + port).toList();
  }

  final List<M> members() {
    return members;
  }

  /** The member that the servers write to. */
  final M writer() {
    return writers().get(0);
  }

  /** Another one. */
  final M reader() {
    M writer = writer();
    return members.stream().filter(member -> member != writer).findFirst().orElseThrow();
  }

  final M member(int number) {
    return members.get(number - 1);
  }

  /** Returns when each knows all others. */
  final void awaitWhole() {
    members.forEach(member -> member.awaitPeers(members.size()));
  }

  /** All of them as one database. */
  final GivenDatabase given() {
    return given(members, SCHEMA);
  }

  /** Some of them as one database, in this order. */
  final GivenDatabase given(List<? extends GroupMember> some, String schema) {
    DatabaseEndpoint first = members.get(0).server().endpoint();
    return new GivenDatabase(
        new DatabaseEndpoint(
            first.product(),
            some.stream().map(GroupMember::address).toList(),
            first.user(),
            first.password()),
        schema);
  }

  @Override
  public void close() {
    members.forEach(
        member -> {
          member.kill();
          member.server().close();
        });
  }
}
