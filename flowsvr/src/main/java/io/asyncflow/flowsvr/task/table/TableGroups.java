package io.asyncflow.flowsvr.task.table;

import io.asyncflow.flowsvr.base.system.concurrent.FailureCollector;
import io.asyncflow.flowsvr.task.table.schema.TableSql;
import io.asyncflow.rules.TaskTable;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import org.springframework.dao.PessimisticLockingFailureException;
import org.springframework.jdbc.BadSqlGrammarException;
import org.springframework.jdbc.UncategorizedSQLException;

/**
 * Reads many tables, by one statement per {@link TableSql#groups group}.
 *
 * <p>A table that cannot be read fails the statement of its group; then each table of the group is
 * read separately, so that the others are still read. If the database does not answer, the whole
 * group fails.
 */
public final class TableGroups {

  private TableGroups() {}

  /**
   * Returns the results of all tables that could be read.
   *
   * @param failures collects the failures of the others
   * @param statement reads a group of tables
   */
  public static <T> List<T> ask(
      List<TaskTable> tables,
      FailureCollector failures,
      Function<List<TaskTable>, List<T>> statement) {
    List<T> answers = new ArrayList<>();
    for (List<TaskTable> group : TableSql.groups(tables)) {
      answers.addAll(failures.orElse(List.of(), () -> askTogether(group, failures, statement)));
    }
    return answers;
  }

  private static <T> List<T> askTogether(
      List<TaskTable> group,
      FailureCollector failures,
      Function<List<TaskTable>, List<T>> statement) {
    try {
      return statement.apply(group);
    } catch (BadSqlGrammarException
        | PessimisticLockingFailureException
        | UncategorizedSQLException e) { // no table or no grant, a lock on it, damage
      List<T> answers = new ArrayList<>();
      for (TaskTable table : group) {
        answers.addAll(failures.orElse(List.of(), () -> statement.apply(List.of(table))));
      }
      return answers;
    }
  }
}
