package io.asyncflow.flowsvr.edge.access;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Stream;

/** Some names: listed ones and all that begin in listed ways, or simply all. Immutable. */
public final class Names {

  private static final String ANY = "*";

  /** All names. */
  public static final Names ALL = new Names(List.of(ANY));

  private static final Names NONE = new Names(List.of());

  private final boolean isAll;
  private final Set<String> listed;
  private final List<String> prefixes;

  private Names(Collection<String> patterns) {
    Set<String> names = new HashSet<>();
    List<String> beginnings = new ArrayList<>();
    for (String pattern : patterns) {
      if (pattern.endsWith(ANY)) {
        beginnings.add(pattern.substring(0, pattern.length() - ANY.length()));
      } else {
        names.add(pattern);
      }
    }
    this.isAll = beginnings.contains("");
    this.listed = Set.copyOf(names);
    this.prefixes = List.copyOf(beginnings);
  }

  /**
   * @param patterns names; one that ends in {@code *} stands for all that begin like it
   */
  public static Names of(Collection<String> patterns) {
    return patterns.contains(ANY) ? ALL : new Names(patterns);
  }

  /** All names that begin so. */
  static Names beginningWith(String prefix) {
    return new Names(List.of(prefix + ANY));
  }

  static Names none() {
    return NONE;
  }

  public boolean isAll() {
    return isAll;
  }

  public boolean contains(String name) {
    if (isAll || listed.contains(name)) {
      return true;
    }
    for (String prefix : prefixes) {
      if (name.startsWith(prefix)) {
        return true;
      }
    }
    return false;
  }

  /** Whether these are all of the other names, and perhaps more. */
  public boolean cover(Names others) {
    return isAll
        || others.listed.stream().allMatch(this::contains)
            && others.prefixes.stream()
                .allMatch(beginning -> prefixes.stream().anyMatch(beginning::startsWith));
  }

  /**
   * A condition of SQL that is true of these names.
   *
   * @param column an expression of SQL
   * @param parameter how the names of its parameters begin
   * @param parameters receives their values
   * @return begins with AND; empty if these are all names
   */
  public String and(String column, String parameter, Map<String, Object> parameters) {
    if (isAll) {
      return "";
    }
    List<String> oneOf = new ArrayList<>();
    if (!listed.isEmpty()) {
      oneOf.add(column + " IN (:" + parameter + ")");
      parameters.put(parameter, listed);
    }
    for (int i = 0; i < prefixes.size(); i++) {
      String prefix = prefixes.get(i);
      int length = prefix.codePointCount(0, prefix.length());
      oneOf.add("LEFT(" + column + ", " + length + ") = :" + parameter + i);
      parameters.put(parameter + i, prefix);
    }
    return "AND (" + (oneOf.isEmpty() ? "1 = 0" : String.join(" OR ", oneOf)) + ")\n";
  }

  /** As {@link #of} takes them, in order. */
  public List<String> patterns() {
    return isAll
        ? List.of(ANY)
        : Stream.concat(listed.stream(), prefixes.stream().map(beginning -> beginning + ANY))
            .sorted()
            .toList();
  }

  /** The names that are listed in full. */
  public Set<String> listed() {
    return listed;
  }

  /** The beginnings, without their stars. */
  public List<String> prefixes() {
    return prefixes;
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof Names names
        && isAll == names.isAll
        && listed.equals(names.listed)
        && prefixes.equals(names.prefixes);
  }

  @Override
  public int hashCode() {
    return Objects.hash(isAll, listed, prefixes);
  }
}
