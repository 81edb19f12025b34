package io.asyncflow.systemtest.readme;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ShownTest {

  private static final String SHOWN = "211899957840445440_lark_task_1";
  private static final String REAL = "249835547751612416_lark_task_1";

  private final Shown shown = new Shown();

  @ParameterizedTest
  @CsvSource(
      delimiter = '~',
      textBlock =
          """
          {"code":0}                                     ~ {"code":0}
          {"a":1,"b":2}                                  ~ {"b":2,"a":1}
          {"a":1,"…":"…"}                                ~ {"a":1,"b":2}
          {"createTime":1795254399673}                   ~ {"createTime":1795255035368}
          {"leaseMs":300000}                             ~ {"leaseMs":299874}
          {"t":"1fe259ef029b47eb81cff59d688c3cf2"}       ~ {"t":"e60589503271436fb5694c2a9e823665"}
          ["211899957840445440_lark_task_1"]             ~ ["249835547751612416_lark_task_1"]
          """)
  void whatVariesIsTheSame(String text, String came) {
    assertThatCode(() -> shown.compare(text, came)).doesNotThrowAnyException();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '~',
      textBlock =
          """
          {"code":0}                                     ~ {"code":8020}
          {"a":1}                                        ~ {"a":1,"b":2}
          {"a":1,"b":2,"…":"…"}                          ~ {"a":1}
          {"a":"1"}                                      ~ {"a":1}
          {"max_processing_time":600}                    ~ {"max_processing_time":601}
          {"createTime":1795254399673}                   ~ {"createTime":12}
          {"leaseMs":300000}                             ~ {"leaseMs":300001}
          {"t":"1fe259ef029b47eb81cff59d688c3cf2"}       ~ {"t":"none"}
          [1]                                            ~ [1,2]
          ["211899957840445440_lark_task_1"]             ~ ["249835547751612416_lark_task_2"]
          ["211899957840445440_lark_task_1","5"]         ~ ["249835547751612416_lark_task_1","6"]
          """)
  void anyOtherDifferenceIsFound(String text, String came) {
    assertThatThrownBy(() -> shown.compare(text, came)).isInstanceOf(AssertionError.class);
  }

  @Test
  void anIdMeansTheSameTaskWhereverItStands() {
    shown.compare("{\"taskId\":\"" + SHOWN + "\"}", "{\"taskId\":\"" + REAL + "\"}");

    assertThat(shown.real("curl localhost/getTask?taskId=" + SHOWN))
        .isEqualTo("curl localhost/getTask?taskId=" + REAL);
    assertThatCode(
            () -> shown.compare("[\"211899957840445440\"]", "[\"249835547751612416\"]")) // a cursor
        .doesNotThrowAnyException();
    assertThatThrownBy(() -> shown.compare("[\"" + SHOWN + "\"]", "[\"" + SHOWN + "\"]"))
        .isInstanceOf(AssertionError.class);
  }

  @Test
  void anIdThatNothingHasShownCannotBeUsed() {
    assertThatThrownBy(() -> shown.real("curl localhost/getTask?taskId=" + SHOWN))
        .isInstanceOf(AssertionError.class)
        .hasMessageContaining("211899957840445440");
  }

  @Test
  void anEllipsisStandsForAnythingInALine() {
    Shown.compareLines("…/speech/" + SHOWN + ".wav\nok", "/a/b/speech/" + REAL + ".wav\nok");

    assertThatThrownBy(() -> Shown.compareLines("…/speech\nok", "/a/speech\nno"))
        .isInstanceOf(AssertionError.class);
  }
}
