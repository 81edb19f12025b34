package io.asyncflow.systemtest.evidence;

import io.asyncflow.systemtest.worker.JobScript;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** All that is known of what clients wanted of one job. */
public final class JobStory {

  final String key;
  final long invokedAt;
  final List<String> children;
  final Set<String> acknowledged = new HashSet<>();

  /** One that was asked for at this moment, with this {@link JobScript} for its input. */
  JobStory(String key, long invokedAt, String input) {
    this.key = key;
    this.invokedAt = invokedAt;
    this.children = JobScript.parse(input).children();
  }

  public String key() {
    return key;
  }

  /** The contexts of its children, in order. */
  public List<String> children() {
    return children;
  }

  /** The ids that its creator was given. */
  public Set<String> acknowledged() {
    return Collections.unmodifiableSet(acknowledged);
  }
}
