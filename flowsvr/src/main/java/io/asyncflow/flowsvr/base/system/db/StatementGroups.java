package io.asyncflow.flowsvr.base.system.db;

import java.util.ArrayList;
import java.util.List;

/** Splits a list into groups, each of which one statement can handle. */
public final class StatementGroups {

  private StatementGroups() {}

  /**
   * The items in groups, in order.
   *
   * @param most the most items of a group
   */
  public static <T> List<List<T>> of(List<T> items, int most) {
    List<List<T>> groups = new ArrayList<>();
    for (int start = 0; start < items.size(); start += most) {
      groups.add(items.subList(start, Math.min(start + most, items.size())));
    }
    return groups;
  }
}
