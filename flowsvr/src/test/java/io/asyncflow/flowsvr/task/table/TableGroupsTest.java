package io.asyncflow.flowsvr.task.table;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.asyncflow.flowsvr.base.system.concurrent.FailureCollector;
import io.asyncflow.rules.TaskTable;
import io.asyncflow.rules.TaskType;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.dao.CannotAcquireLockException;
import org.springframework.dao.DataAccessResourceFailureException;
import org.springframework.jdbc.BadSqlGrammarException;
import org.springframework.jdbc.UncategorizedSQLException;

class TableGroupsTest {

  private static final TaskType LARK = new TaskType("lark");
  private static final List<TaskTable> TABLES =
      IntStream.rangeClosed(1, 60).mapToObj(number -> new TaskTable(LARK, number)).toList();
  private static final TaskTable BAD = TABLES.get(7);

  private final FailureCollector failures = new FailureCollector();
  private final List<List<TaskTable>> asked = new ArrayList<>();

  static Stream<RuntimeException> ofOneTable() {
    return Stream.of(
        new BadSqlGrammarException("", "", new SQLException("doesn't exist", "42S02", 1146)),
        new CannotAcquireLockException("", new SQLException("lock wait timeout", "40001", 1205)),
        new UncategorizedSQLException("", "", new SQLException("tablespace", "HY000", 1812)));
  }

  @ParameterizedTest
  @MethodSource("ofOneTable")
  void tableThatCannotBeReadKeepsNoOtherFromBeingAsked(RuntimeException failure) {
    assertThat(TableGroups.ask(TABLES, failures, tables -> failingAt(BAD, tables, failure)))
        .containsExactlyElementsOf(TABLES.stream().filter(table -> !table.equals(BAD)).toList());
    assertThatThrownBy(failures::throwFirst).isSameAs(failure);
  }

  @Test
  void databaseThatDoesNotAnswerIsAskedOnceAGroup() {
    RuntimeException outage =
        new DataAccessResourceFailureException("", new SQLException("gone", "08S01"));

    assertThat(TableGroups.ask(TABLES, failures, tables -> failingAt(BAD, tables, outage)))
        .containsExactlyElementsOf(TABLES.subList(50, 60));
    assertThat(asked).hasSize(2);
    assertThatThrownBy(failures::throwFirst).isSameAs(outage);
  }

  private List<TaskTable> failingAt(
      TaskTable bad, List<TaskTable> tables, RuntimeException failure) {
    asked.add(tables);
    if (tables.contains(bad)) {
      throw failure;
    }
    return tables;
  }
}
