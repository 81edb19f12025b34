package io.asyncflow.flowsvr.wire;

import static java.util.stream.Collectors.toCollection;
import static java.util.stream.Collectors.toSet;

import io.asyncflow.flowsvr.edge.access.Role;
import io.asyncflow.flowsvr.edge.access.Verb;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * The table of docs/api.md that says which verb each call needs and which roles have it. Calls
 * below {@code /api} are named without it, and with the method if only this one needs the verb.
 * Other paths are those of old clients, and of the libraries that the server contains.
 */
record VerbTable(List<Row> rows) {

  static final String HEALTH = "/actuator/health";

  private static final List<String> OF_LIBRARIES = List.of("/actuator", "/v3/", "/swagger-ui");
  private static final Path DOCUMENT = Path.of("..", "docs", "api.md");
  private static final Pattern CODE = Pattern.compile("`([^`]+)`");
  private static final String ANY_BELOW = "/**";
  private static final List<String> COLUMNS =
      Stream.concat(Stream.of("verb", "calls"), Arrays.stream(Role.values()).map(Role::name))
          .toList();

  /**
   * @param roles those that have the verb
   */
  record Row(Verb verb, List<String> calls, Set<Role> roles) {}

  static VerbTable read() {
    try (Stream<String> lines = Files.lines(DOCUMENT)) {
      return new VerbTable(
          lines
              .map(VerbTable::cells)
              .dropWhile(cells -> !cells.equals(COLUMNS))
              .skip(2)
              .takeWhile(cells -> cells.size() == COLUMNS.size())
              .map(VerbTable::row)
              .toList());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static List<String> cells(String line) {
    return line.startsWith("|")
        ? Arrays.stream(line.substring(1).split("\\|")).map(String::strip).toList()
        : List.of();
  }

  private static Row row(List<String> cells) {
    Set<Role> roles = EnumSet.noneOf(Role.class);
    for (Role role : Role.values()) {
      if (!cells.get(2 + role.ordinal()).isEmpty()) {
        roles.add(role);
      }
    }
    return new Row(Verb.valueOf(codes(cells.get(0)).get(0)), codes(cells.get(1)), roles);
  }

  private static List<String> codes(String cell) {
    return CODE.matcher(cell).results().map((MatchResult code) -> code.group(1)).toList();
  }

  Set<Verb> verbsOf(Role role) {
    return rows.stream()
        .filter(row -> row.roles().contains(role))
        .map(Row::verb)
        .collect(toCollection(() -> EnumSet.noneOf(Verb.class)));
  }

  Set<String> names() {
    return rows.stream().flatMap(row -> row.calls().stream()).collect(toSet());
  }

  boolean has(String name) {
    return rows.stream().anyMatch(row -> row.calls().contains(name));
  }

  Set<Verb> verbsFor(String name) {
    return rows.stream()
        .filter(row -> row.calls().contains(name))
        .map(Row::verb)
        .collect(toCollection(() -> EnumSet.noneOf(Verb.class)));
  }

  /** The name under which the table has a call below {@code /api}, if it does. */
  String name(String method, String path) {
    String call = path.replaceFirst("^/api/", "");
    String ofMethod = method + " " + call;
    return has(ofMethod) ? ofMethod : call;
  }

  /** Whether a library, and no controller of ours, answers it. */
  static boolean isOfLibrary(String name) {
    return OF_LIBRARIES.stream().anyMatch(name::startsWith);
  }

  /** The verb for a path of a library. */
  Optional<Verb> verbOfLibrary(String path) {
    return rows.stream()
        .filter(row -> isOfLibrary(path))
        .filter(row -> row.calls().stream().anyMatch(call -> matches(call, path)))
        .map(Row::verb)
        .findFirst();
  }

  private static boolean matches(String call, String path) {
    if (!call.endsWith(ANY_BELOW)) {
      return call.equals(path);
    }
    String base = call.substring(0, call.length() - ANY_BELOW.length());
    return path.equals(base) || path.startsWith(base + "/");
  }
}
