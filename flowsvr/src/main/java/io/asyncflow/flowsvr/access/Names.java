package io.asyncflow.flowsvr.access;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** Some names: listed ones and all that begin in listed ways, or simply all. Immutable. */
public final class Names {

  private static final String ANY = "*";

  /** All names. */
  public static final Names ALL = new Names(List.of(ANY));

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

  /** The names that are listed in full. */
  public Set<String> listed() {
    return listed;
  }

  /** The beginnings, without their stars. */
  public List<String> prefixes() {
    return prefixes;
  }
}
