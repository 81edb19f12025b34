package io.asyncflow.flowsvr.base.system.db;

import static com.zaxxer.hikari.SQLExceptionOverride.Override.CONTINUE_EVICT;
import static com.zaxxer.hikari.SQLExceptionOverride.Override.DO_NOT_EVICT;
import static com.zaxxer.hikari.SQLExceptionOverride.Override.MUST_EVICT;
import static org.assertj.core.api.Assertions.assertThat;

import java.sql.SQLException;
import org.junit.jupiter.api.Test;

class ConnectionVerdictTest {

  private final ConnectionVerdict verdict = new ConnectionVerdict();

  @Test
  void connectionToAServerThatTakesNoWritesIsGivenUp() {
    assertThat(verdict.adjudicate(new SQLException("--read-only", "HY000", 1290)))
        .isEqualTo(MUST_EVICT);
    assertThat(verdict.adjudicate(new SQLException("read-only mode", "HY000", 1836)))
        .isEqualTo(MUST_EVICT);
  }

  @Test
  void connectionSurvivesWhatItsEngineCannotDo() {
    assertThat(verdict.adjudicate(new SQLException("ALGORITHM=INSTANT", "0A000", 1845)))
        .isEqualTo(DO_NOT_EVICT);
  }

  @Test
  void allElseIsForThePoolToDecide() {
    assertThat(verdict.adjudicate(new SQLException("deadlock", "40001", 1213)))
        .isEqualTo(CONTINUE_EVICT);
    assertThat(verdict.adjudicate(new SQLException("broken", "08S01"))).isEqualTo(CONTINUE_EVICT);
    assertThat(verdict.adjudicate(new SQLException())).isEqualTo(CONTINUE_EVICT);
  }
}
