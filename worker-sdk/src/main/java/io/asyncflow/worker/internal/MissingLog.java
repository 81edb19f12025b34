package io.asyncflow.worker.internal;

import java.util.ServiceConfigurationError;
import java.util.ServiceLoader;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.ILoggerFactory;
import org.slf4j.LoggerFactory;
import org.slf4j.helpers.NOPLoggerFactory;
import org.slf4j.spi.SLF4JServiceProvider;

/** A worker without a log is silent in every failure; only standard error can say so. */
public final class MissingLog {

  private static final AtomicBoolean TOLD = new AtomicBoolean();

  private MissingLog() {}

  /** Says so, once a process; one that has chosen slf4j-nop wants no log. */
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
      return false; // SLF4J goes on without it, and so does the worker
    }
  }
}
