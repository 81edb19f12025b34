package io.asyncflow.flowsvr.job.upkeep;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.ArgumentMatchers.anyLong;
import static org.mockito.Mockito.clearInvocations;
import static org.mockito.Mockito.doReturn;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.verify;
import static org.mockito.Mockito.when;

import io.asyncflow.api.ErrorCode;
import io.asyncflow.api.FlowException;
import io.asyncflow.api.JobState;
import io.asyncflow.flowsvr.job.upkeep.JobStateStore.Ends;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class JobEndsTest {

  private static final Long BEGIN = 1_000_000L;

  private final JobStateStore store = mock(JobStateStore.class);
  private final JobEnds ends = new JobEnds(store);

  private void willRead(long until, Map<String, EndedJobs> byType) {
    doReturn(new Ends(until, byType)).when(store).endedAfter(any(), anyLong());
  }

  private static EndedJobs failed(int jobs) {
    EndedJobs ended = new EndedJobs();
    ended.add(JobState.FAILED, 0, jobs, 5);
    return ended;
  }

  private long failures(String type) {
    return ends.read(1).get(type).states().get(JobState.FAILED);
  }

  @Test
  void seriesOfATypeBeginsAtZeroWhateverEndedAlready() {
    willRead(1, Map.of("lark", failed(1)));
    assertThat(failures("lark")).isZero();
    willRead(2, Map.of("lark", failed(2), "owl", failed(4)));
    assertThat(failures("lark")).isEqualTo(3);
    willRead(3, Map.of());
    assertThat(failures("lark")).isEqualTo(3);
    assertThat(failures("owl")).isEqualTo(4);
  }

  @Test
  void timeThatIsTooLongForTheDatabaseIsReadInParts() {
    willRead(BEGIN, Map.of());
    ends.read(1);
    FlowException refusal = new FlowException(ErrorCode.LIMIT_EXCEEDED, "ask for less");
    when(store.endedAfter(any(), anyLong())).thenThrow(refusal);
    assertThatThrownBy(() -> ends.read(1)).isSameAs(refusal);
    assertThatThrownBy(() -> ends.read(1)).isSameAs(refusal);

    long quarter = JobEnds.MOST_MS / 4;
    for (long most : List.of(quarter, 2 * quarter, 4 * quarter, 4 * quarter)) {
      clearInvocations(store);
      willRead(BEGIN, Map.of());
      ends.read(1);
      verify(store).endedAfter(BEGIN, most);
    }
  }
}
