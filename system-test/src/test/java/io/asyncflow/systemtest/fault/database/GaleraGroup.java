package io.asyncflow.systemtest.fault.database;

import io.asyncflow.dev.embedded.EmbeddedMariaDb;
import io.asyncflow.dev.host.LoopbackPort;
import io.asyncflow.dev.host.OwnerOnly;
import io.asyncflow.dev.process.ProgramRun;
import io.asyncflow.systemtest.scenario.Window;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Nodes of MariaDB with Galera, from Debian's packages mariadb-server and galera-4. */
final class GaleraGroup extends DatabaseGroup<GaleraNode> {

  private static final Path PROVIDER = Path.of("/usr/lib/galera/libgalera_smm.so");
  private static final List<String> GALERA =
      List.of(
          "--wsrep-on=ON",
          "--wsrep-provider=" + PROVIDER,
          "--binlog-format=ROW",
          // The one way of transfer that needs no further program and works as root, too.
          "--wsrep-sst-method=mysqldump");

  private static final String STATE = "6f9c4a52-1a53-4d0c-9d5e-7d1f6a3c0b14";

  private GaleraGroup() {}

  static boolean isInstalled() {
    return Files.exists(EmbeddedMariaDb.INSTALLED) && Files.exists(PROVIDER);
  }

  /** Starts so many nodes. */
  static GaleraGroup of(Path directory, int size) {
    GaleraGroup group = new GaleraGroup();
    group.start(directory, size);
    return group;
  }

  @Override
  GaleraNode start(int number, Path directory, List<String> seats) {
    String seat = seats.get(number - 1);
    return new GaleraNode(
        number,
        EmbeddedMariaDb.startInstalled(
            directory,
            () -> {
              List<String> options = new ArrayList<>();
              options.addAll(GALERA);
              options.add("--wsrep-cluster-address=gcomm://" + String.join(",", seats));
              options.add("--wsrep-node-address=" + seat);
              options.add(
                  "--wsrep-provider-options=gmcast.listen_addr=tcp://%s;ist.recv_addr=%s:%s"
                      .formatted(seat, LoopbackPort.HOST, Integer.toString(LoopbackPort.free())));
              options.add("--innodb-autoinc-lock-mode=2");
              options.addAll(transfer(directory.resolve("secrets")));
              options.addAll(position(number, directory));
              return options;
            }));
  }

  private static List<String> transfer(Path secrets) {
    String login = text(secrets);
    return List.of(
        "--wsrep-sst-receive-address=" + LoopbackPort.HOST + ":" + found("port=(\\d+)", login),
        "--wsrep-sst-auth=root:" + found("password=(\\w+)", login),
        "--socket=database.sock"); // in the directory of its data
  }

  /**
   * Where its data stands, which is the same for all of them at first: a node that knows it gets
   * from the others what it has missed, and no copy of everything.
   */
  private static List<String> position(int number, Path directory) {
    Path data = directory.resolve("data");
    Path state = data.resolve("grastate.dat");
    if (!Files.exists(state)) {
      OwnerOnly.write(state, "version: 2.1\nuuid: " + STATE + "\nseqno: 0\nsafe_to_bootstrap: 1\n");
      return number == 1 ? List.of("--wsrep-new-cluster") : List.of();
    }
    Path log = directory.resolve("recovery.log");
    ProgramRun.run(
        "MariaDB",
        Stream.concat(
                Stream.of(
                    EmbeddedMariaDb.INSTALLED.toString(),
                    "--no-defaults",
                    "--user=" + System.getProperty("user.name"),
                    "--datadir=" + data,
                    "--innodb-log-file-size=64M",
                    "--skip-networking",
                    "--socket=",
                    "--wsrep-recover"),
                GALERA.stream())
            .toList(),
        Map.of(),
        log,
        input -> {});
    return List.of("--wsrep-start-position=" + found("Recovered position: (\\S+)", text(log)));
  }

  private static String found(String pattern, String text) {
    Matcher matcher = Pattern.compile(pattern).matcher(text);
    if (!matcher.find()) {
      throw new IllegalStateException("there is no " + pattern + " in " + text);
    }
    return matcher.group(1);
  }

  private static String text(Path file) {
    try {
      return Files.readString(file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Those on which clients commit something within a second. */
  @Override
  List<GaleraNode> writers() {
    Map<GaleraNode, Long> before =
        members().stream().collect(Collectors.toMap(node -> node, GaleraNode::commits));
    Window.pass(Duration.ofSeconds(1));
    return members().stream().filter(node -> node.commits() > before.get(node)).toList();
  }
}
