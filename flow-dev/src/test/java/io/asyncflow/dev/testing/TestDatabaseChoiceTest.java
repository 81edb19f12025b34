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
  void missingDockerIsNamed() {
    TestDatabaseChoice choice = TestDatabaseChoice.of("");
    switch (choice.kind()) {
      case CONTAINER -> assertThat(choice.reason()).isEqualTo("Docker answered");
      default -> assertThat(choice.reason()).isEqualTo("Docker did not answer");
    }
  }

  @Test
  void unknownDatabaseIsRefusedInOneSentence() {
    assertThatThrownBy(() -> TestDatabaseChoice.of("oracle"))
        .hasMessage("asyncflow.test.database is mariadb, mysql8 or container, not oracle.");
  }
}
