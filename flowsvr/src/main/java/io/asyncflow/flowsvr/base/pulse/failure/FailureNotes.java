package io.asyncflow.flowsvr.base.pulse.failure;

import io.asyncflow.flowsvr.base.pulse.failure.FailureGroups.Group;
import io.asyncflow.flowsvr.base.pulse.failure.FailureGroups.Key;
import io.asyncflow.flowsvr.base.system.concurrent.BackgroundLoop;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.context.annotation.Bean;
import org.springframework.stereotype.Component;

/**
 * Notes attempts that failed, and writes the counts of their groups every second. Thread-safe.
 *
 * <p>The fingerprint of a failure takes some microseconds, so a thread of its own computes it, and
 * the threads that report compute it only in a storm that fills the buffer.
 */
@Component
public class FailureNotes implements DisposableBean {

  private static final Duration PAUSE = Duration.ofSeconds(1);
  private static final int BUFFER = 10_000;

  private final BlockingQueue<FailureNote> notes = new ArrayBlockingQueue<>(BUFFER);
  private final FailureGroups groups = new FailureGroups();
  private final FailureStore store;

  FailureNotes(FailureStore store) {
    this.store = store;
  }

  @Bean
  BackgroundLoop failureNotesLoop() {
    return new BackgroundLoop("failure-notes", PAUSE, this::runOnce);
  }

  /** Notes a failure. */
  public void add(FailureNote note) {
    if (!notes.offer(note)) {
      groups.count(note);
    }
  }

  /** Writes what was noted; does nothing if nothing was. */
  public synchronized void runOnce() {
    List<FailureNote> noted = new ArrayList<>();
    notes.drainTo(noted);
    noted.forEach(groups::count);
    List<Map.Entry<Key, Group>> counts = groups.unwritten();
    if (!counts.isEmpty()) {
      store.write(counts);
      groups.written(counts);
    }
  }

  /** What is left is written before the connections are closed. */
  @Override
  public void destroy() {
    runOnce();
  }
}
