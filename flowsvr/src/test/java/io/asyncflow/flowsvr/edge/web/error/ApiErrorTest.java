package io.asyncflow.flowsvr.edge.web.error;

import static org.assertj.core.api.Assertions.assertThat;

import com.mysql.cj.jdbc.exceptions.CommunicationsException;
import io.asyncflow.api.ErrorCode;
import io.asyncflow.api.FlowException;
import java.net.ConnectException;
import java.sql.BatchUpdateException;
import java.sql.SQLException;
import java.sql.SQLTransientConnectionException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.dao.CannotAcquireLockException;
import org.springframework.dao.DataAccessResourceFailureException;
import org.springframework.dao.DataIntegrityViolationException;
import org.springframework.dao.DeadlockLoserDataAccessException;
import org.springframework.dao.QueryTimeoutException;
import org.springframework.dao.TransientDataAccessResourceException;
import org.springframework.jdbc.BadSqlGrammarException;
import org.springframework.jdbc.CannotGetJdbcConnectionException;
import org.springframework.jdbc.UncategorizedSQLException;
import org.springframework.transaction.CannotCreateTransactionException;
import org.springframework.transaction.TransactionSystemException;

class ApiErrorTest {

  @ParameterizedTest
  @EnumSource(ErrorCode.class)
  void flowExceptionKeepsItsCodeAndStatus(ErrorCode code) {
    ApiError refusal = ApiError.of(new FlowException(code, "why"));

    assertThat(refusal.code()).isEqualTo(code);
    assertThat(refusal.httpStatus()).isEqualTo(code.httpStatus());
    assertThat(refusal.message()).isEqualTo("why");
  }

  @Test
  void whatNobodyThoughtOfIsABugWithoutDetails() {
    ApiError refusal = ApiError.of(new IllegalStateException("secret"));

    assertThat(refusal.code()).isEqualTo(ErrorCode.INTERNAL);
    assertThat(refusal.httpStatus()).isEqualTo(500);
    assertThat(refusal.message()).doesNotContain("secret");
  }

  @Test
  void unreachableDatabaseHasChangedNothing() {
    SQLException refused =
        new CommunicationsException("link failure", new ConnectException("Connection refused"));
    Exception poolEmpty =
        new SQLTransientConnectionException("no connection in 2000 ms", "08001", refused);

    assertUnavailable(
        new CannotGetJdbcConnectionException("no", new SQLException(poolEmpty)), false);
    assertUnavailable(new CannotCreateTransactionException("no", poolEmpty), false);
    assertUnavailable(new DataAccessResourceFailureException("no", poolEmpty), false);
  }

  @Test
  void nobodyKnowsWhatABrokenConnectionHasDone() {
    SQLException broken = new CommunicationsException("link failure", new RuntimeException());

    assertUnavailable(new DataAccessResourceFailureException("select", broken), true);
    assertUnavailable(new TransactionSystemException("commit", broken), true);
    assertUnavailable(new UncategorizedSQLException("x", "UPDATE", broken), true);
  }

  @ParameterizedTest
  @ValueSource(ints = {1021, 1040, 1053, 1114, 1205, 1213, 1290, 1317, 1836, 3024})
  void databaseThatCannotNowMayCanLater(int errorCode) {
    SQLException refused = new SQLException("no", "HY000", errorCode);

    assertUnavailable(new UncategorizedSQLException("x", "INSERT", refused), false);
    assertUnavailable(
        new CannotAcquireLockException("x", new BatchUpdateException(refused)), false);
  }

  @ParameterizedTest
  @ValueSource(ints = {1044, 1142, 1143, 1227})
  void grantThatIsMissingMayBeGivenLater(int errorCode) {
    SQLException denied = new SQLException("CREATE command denied", "42000", errorCode);

    assertUnavailable(new BadSqlGrammarException("x", "CREATE", denied), false);
  }

  @Test
  void transientTroubleIsUnavailability() {
    assertUnavailable(new DeadlockLoserDataAccessException("deadlock", null), false);
    assertUnavailable(new QueryTimeoutException("slow"), true);
  }

  @Test
  void nobodyKnowsWhatHappenedBeforeAConnectionWasFoundClosed() {
    SQLException byTheDriver =
        new SQLException("No operations allowed after statement closed.", "S1009");
    assertUnavailable(new TransientDataAccessResourceException("batch", byTheDriver), true);
    SQLException byThePool = new SQLException("Connection is closed");
    assertUnavailable(new UncategorizedSQLException("x", "UPDATE", byThePool), true);
    assertUnavailable(new TransactionSystemException("rollback", byThePool), true);
  }

  @ParameterizedTest
  @ValueSource(ints = {1264, 1366, 1406})
  void valueThatDoesNotFitIsTheClients(int errorCode) {
    SQLException refused = new SQLException("Data too long", "22001", errorCode);
    ApiError refusal = ApiError.of(new DataIntegrityViolationException("x", refused));

    assertThat(refusal.code()).isEqualTo(ErrorCode.INVALID_INPUT);
  }

  @Test
  void wrongStatementIsABug() {
    Exception wrong =
        new BadSqlGrammarException("x", "SELEC", new SQLException("x", "42000", 1064));
    assertThat(ApiError.of(wrong).code()).isEqualTo(ErrorCode.INTERNAL);
  }

  @ParameterizedTest
  @ValueSource(ints = {400, 404, 405, 408, 411, 414, 431, 501, 505})
  void whatTomcatRefusesIsNeverOurFailure(int status) {
    ApiError refusal = ApiError.ofStatus(status);

    assertThat(refusal.code()).isEqualTo(ErrorCode.INVALID_INPUT);
    assertThat(refusal.httpStatus()).isBetween(400, 499);
  }

  private static void assertUnavailable(Exception failure, boolean outcomeUnknown) {
    ApiError refusal = ApiError.of(failure);
    assertThat(refusal.code()).isEqualTo(ErrorCode.UNAVAILABLE);
    assertThat(refusal.httpStatus()).isEqualTo(503);
    assertThat(refusal.outcomeUnknown()).isEqualTo(outcomeUnknown);
  }
}
