package io.asyncflow.worker.internal;

import java.util.ServiceConfigurationError;
import java.util.ServiceLoader;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.ILoggerFactory;
import org.slf4j.LoggerFactory;
import org.slf4j.helpers.NOPLoggerFactory;
import org.slf4j.spi.SLF4JServiceProvider;

/** Warns on standard error that a worker has no log, so that all its failures would be silent. */
public final class MissingLog {

  private static final AtomicBoolean TOLD = new AtomicBoolean();

  private MissingLog() {}

  /** Warns once for each process; not if slf4j-nop was chosen. */
  public static void tell() {
    ILoggerFactory loggers = LoggerFactory.getILoggerFactory();
    if (loggers instanceof NOPLoggerFactory && !hasProvider() && TOLD.compareAndSet(false, true)) {
      System.err.println(
          "asyncflow: this worker logs nothing, not even why it fails, as the class path has no"
              + " SLF4J provider; add org.slf4j:slf4j-simple, or another provider");
    }
  }

  private static boolean hasProvider() {
    try {
      return ServiceLoader.load(SLF4JServiceProvider.class).findFirst().isPresent();
    } catch (ServiceConfigurationError | LinkageError brokenOrOfSlf4j1) {
      return false; // SLF4J continues without a provider, and so does the worker
    }
  }
}
