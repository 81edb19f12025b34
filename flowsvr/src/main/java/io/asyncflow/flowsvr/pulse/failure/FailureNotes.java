package io.asyncflow.flowsvr.pulse.failure;

import io.asyncflow.flowsvr.pulse.failure.FailureGroups.Group;
import io.asyncflow.flowsvr.pulse.failure.FailureGroups.Key;
import io.asyncflow.flowsvr.pulse.failure.FailureStore.Listed;
import io.asyncflow.flowsvr.system.TaskMeters;
import io.asyncflow.flowsvr.system.concurrent.BackgroundLoop;
import io.asyncflow.rules.Fingerprint;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.atomic.LongAdder;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.boot.context.event.ApplicationReadyEvent;
import org.springframework.context.ApplicationListener;
import org.springframework.stereotype.Component;

/**
 * Notes attempts that failed, and writes them every second: at most {@value #ROWS} of them in rows
 * of their own, all of them in the counts of their groups. Thread-safe.
 */
@Component
public class FailureNotes implements ApplicationListener<ApplicationReadyEvent>, DisposableBean {

  private static final Duration PAUSE = Duration.ofSeconds(1);
  private static final int BUFFER = 10_000;
  private static final int ROWS = 200;

  private final BlockingQueue<FailureNote> notes = new ArrayBlockingQueue<>(BUFFER);
  private final FailureGroups groups = new FailureGroups();
  private final FailureStore store;
  private final LongAdder unlisted = new LongAdder();
  private volatile BackgroundLoop writer;

  /** Rows whose write has not succeeded yet; used by one thread. */
  private List<Listed> unwritten = List.of();

  FailureNotes(FailureStore store, TaskMeters meters) {
    this.store = store;
    meters.show(
        "failures.unlisted",
        "attempts that failed on this server and are only counted in their groups",
        unlisted::sum);
  }

  @Override
  public void onApplicationEvent(ApplicationReadyEvent ready) {
    writer = BackgroundLoop.start("failure-notes", PAUSE, this::runOnce);
  }

  /** Notes a failure; in a storm that fills the buffer, it is only counted. */
  public void add(FailureNote note) {
    if (!notes.offer(note)) {
      groups.count(note);
      unlisted.increment();
    }
  }

  /** Writes what was noted; does nothing if nothing was. */
  public synchronized void runOnce() {
    List<FailureNote> noted = new ArrayList<>();
    notes.drainTo(noted);
    List<Listed> rows = new ArrayList<>(unwritten);
    for (FailureNote note : noted) {
      Fingerprint fingerprint = groups.count(note);
      if (rows.size() < ROWS) {
        rows.add(new Listed(note, fingerprint));
      } else {
        unlisted.increment();
      }
    }
    unwritten = rows;
    if (!rows.isEmpty()) {
      store.insert(rows);
      unwritten = List.of();
    }
    List<Map.Entry<Key, Group>> counts = groups.unwritten();
    if (!counts.isEmpty()) {
      store.write(counts);
      groups.written(counts);
    }
  }

  @Override
  public void destroy() {
    if (writer != null) {
      writer.close();
    }
  }
}
