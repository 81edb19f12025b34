package io.asyncflow.flowsvr.tasktable;

import io.asyncflow.flowsvr.system.concurrent.FailureCollector;
import io.asyncflow.flowsvr.tasktable.schema.TableSql;
import io.asyncflow.rules.TaskTable;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import org.springframework.dao.PessimisticLockingFailureException;
import org.springframework.jdbc.BadSqlGrammarException;
import org.springframework.jdbc.UncategorizedSQLException;

/**
 * Asks many tables, by one statement a {@link TableSql#groups group}.
 *
 * <p>A table that cannot be read spoils the statement of its group, and must not keep the others of
 * it from being asked: then each is asked by itself. A database that does not answer would answer
 * none of them, so the group fails.
 */
public final class TableGroups {

  private TableGroups() {}

  /**
   * What the tables answered, those that could be asked.
   *
   * @param failures has what went wrong with the others
   * @param statement asks a few tables at once
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
