package io.asyncflow.worker.autoconfigure;

import io.asyncflow.worker.InvalidSettingException;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.core.env.Environment;

/** Explains in one sentence which setting of the worker is invalid. */
class InvalidSettingAnalyzer extends AbstractFailureAnalyzer<InvalidSettingException> {

  private final Environment environment;

  InvalidSettingAnalyzer(Environment environment) {
    this.environment = environment;
  }

  @Override
  protected FailureAnalysis analyze(Throwable rootFailure, InvalidSettingException cause) {
    String name = WorkerConnection.nameOf(cause.setting(), environment);
    return new FailureAnalysis(name + " must be " + cause.requirement() + ".", null, cause);
  }
}
