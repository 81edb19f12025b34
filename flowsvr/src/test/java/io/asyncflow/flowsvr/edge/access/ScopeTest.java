package io.asyncflow.flowsvr.edge.access;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ScopeTest {

  private static final Scope ACME =
      new Scope(
          Names.of(List.of("tts", "acme_*")),
          Names.of(List.of("speak", "mix")),
          Names.of(List.of("u1", "team-*")),
          "acme-");

  private static Names names(String commaList) {
    return Names.of(commaList == null ? List.of() : List.of(commaList.split(" ")));
  }

  private static Caller workerOf(Scope scope) {
    return new Caller(Caller.Kind.KEY, "key:3Qm81LtzGh", Set.of(Role.WORKER), scope);
  }

  @ParameterizedTest
  @CsvSource({
    "tts, tts, true",
    "tts, tts2, false",
    "tts, tt, false",
    "acme_*, acme_, true",
    "acme_*, acme_x, true",
    "acme_*, acme, false",
    "a*b, a*b, true",
    "a*b, axb, false",
    "*, anything, true",
    "tts *, anything, true",
    ", anything, false"
  })
  void starStandsForTheRestAtTheEndOfAName(String patterns, String name, boolean isIn) {
    assertThat(names(patterns).contains(name)).isEqualTo(isIn);
  }

  @ParameterizedTest
  @CsvSource({
    "*, *, true",
    "*, a b*, true",
    "a b*, *, false",
    "a b*, a, true",
    "a b*, bcd, true",
    "a b*, bc*, true",
    "a b*, a*, false",
    "a b*, c, false",
    "a, '', false",
    "a b*, a bx c, false"
  })
  void namesThatCoverOthersMayBeGivenAway(String mine, String theirs, boolean may) {
    assertThat(names(mine).cover(names(theirs))).isEqualTo(may);
  }

  @Test
  void scopeCoversWhatLiesInItInEveryRespect() {
    assertThat(Scope.ALL.covers(ACME)).isTrue();
    assertThat(ACME.covers(ACME)).isTrue();
    assertThat(ACME.covers(Scope.ALL)).isFalse();
    assertThat(ACME.covers(new Scope(ACME.types(), ACME.stages(), ACME.users(), "acme-gpu")))
        .isTrue();
    assertThat(ACME.covers(new Scope(ACME.types(), ACME.stages(), ACME.users(), ""))).isFalse();

    Scope withoutWorkers = new Scope(ACME.types(), Names.ALL, Names.ALL, "");
    assertThat(withoutWorkers.covers(new Scope(ACME.types(), Names.ALL, Names.ALL, "gpu-")))
        .as("steers workers that the other does not")
        .isFalse();
  }

  @Test
  void stagesOfAScopeAreListed() {
    assertThatThrownBy(() -> new Scope(Names.ALL, Names.of(List.of("s*")), Names.ALL, ""))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void unlimitedCallerReachesEverything() {
    Caller caller = workerOf(Scope.ALL);
    Set<String> asked = Set.of("any");

    assertThat(caller.isScoped()).isFalse();
    assertThat(caller.holdStages(asked)).isSameAs(asked);
    assertThatCode(
            () -> {
              caller.requireType("any");
              caller.requireUser("any");
              caller.requireStage("any");
              caller.requireWorker("any");
            })
        .doesNotThrowAnyException();
  }

  @Test
  void whatLiesOutsideIsRefusedByItsKind() {
    Caller caller = workerOf(ACME);
    caller.requireType("acme_x");
    caller.requireUser("team-7");
    caller.requireStage("mix");
    caller.requireWorker("acme-1");

    assertThatThrownBy(() -> caller.requireType("other"))
        .isInstanceOf(OutOfScopeException.class)
        .hasMessageContaining("type 'other'");
    assertThatThrownBy(() -> caller.requireUser("u2")).hasMessageContaining("user 'u2'");
    assertThatThrownBy(() -> caller.requireStage("s")).hasMessageContaining("stage 's'");
    assertThatThrownBy(() -> caller.requireWorker("w1")).hasMessageContaining("worker 'w1'");
  }

  @Test
  void holdGetsTheStagesThatTheScopeHas() {
    Caller caller = workerOf(ACME);

    assertThat(caller.holdStages(Set.of())).containsExactlyInAnyOrder("speak", "mix");
    assertThat(caller.holdStages(Set.of("mix", "other"))).containsExactly("mix");
    assertThatThrownBy(() -> caller.holdStages(Set.of("other")))
        .isInstanceOf(OutOfScopeException.class);
  }

  @Test
  void callerHasTheVerbsOfAllItsRoles() {
    Caller both =
        new Caller(Caller.Kind.KEY, "key:x", Set.of(Role.WORKER, Role.SUBMITTER), Scope.ALL);

    assertThat(both.verbs())
        .contains(Verb.WORK_HOLD, Verb.TASK_CREATE)
        .doesNotContain(Verb.TASK_FORCE);
    both.require(Verb.WORK_HOLD);
    assertThatThrownBy(() -> both.require(Verb.TASK_FORCE))
        .isInstanceOf(MissingVerbException.class)
        .hasMessageContaining("TASK_FORCE");
    assertThat(both.mayOneOf(List.of(Verb.TASK_FORCE, Verb.TASK_CREATE))).isTrue();
    assertThat(both.mayOneOf(List.of(Verb.TASK_FORCE))).isFalse();
    assertThat(both.mayOneOf(List.of())).isTrue();
  }
}
