package io.asyncflow.flowsvr.task.event;

import io.asyncflow.flowsvr.base.system.concurrent.DaemonThreads;
import java.util.concurrent.Executor;
import java.util.concurrent.ThreadPoolExecutor;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.stereotype.Component;

/** The threads that read events for clients, so that their reads take few connections. */
@Component
class EventThreads implements Executor, DisposableBean {

  private static final int THREADS = 2;

  private final ThreadPoolExecutor threads = DaemonThreads.pool(THREADS, "event-pages");

  @Override
  public void execute(Runnable read) {
    threads.execute(read);
  }

  @Override
  public void destroy() {
    threads.shutdownNow();
  }
}
