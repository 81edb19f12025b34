package io.asyncflow.dev.testing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class TestDatabaseChoiceTest {

  @Test
  void propertyDecides() {
    assertThat(TestDatabaseChoice.of("mysql8"))
        .isEqualTo(
            new TestDatabaseChoice(
                TestDatabaseChoice.Kind.MYSQL8, "asked for by asyncflow.test.database=mysql8"));
    assertThat(TestDatabaseChoice.of("mariadb").kind()).isEqualTo(TestDatabaseChoice.Kind.MARIADB);
    assertThat(TestDatabaseChoice.of("container").kind())
        .isEqualTo(TestDatabaseChoice.Kind.CONTAINER);
  }

  @Test
  void missingDockerEngineIsNamed() {
    TestDatabaseChoice choice = TestDatabaseChoice.of("");
    switch (choice.kind()) {
      case CONTAINER -> assertThat(choice.reason()).isEqualTo("a Docker engine answered");
      default -> assertThat(choice.reason()).isEqualTo("no Docker engine answered");
    }
  }

  @Test
  void unknownEngineIsRefusedInOneSentence() {
    assertThatThrownBy(() -> TestDatabaseChoice.of("oracle"))
        .hasMessage("asyncflow.test.database is mariadb, mysql8 or container, not oracle.");
  }
}
