package io.asyncflow.flowsvr;

import java.util.Comparator;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.ClassDescriptor;
import org.junit.jupiter.api.ClassOrderer;
import org.junit.jupiter.api.ClassOrdererContext;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.core.annotation.MergedAnnotations.SearchStrategy;
import org.springframework.test.context.TestPropertySource;

/**
 * Puts test classes with the same server next to each other, those without one first. Spring pauses
 * a server while the tests use another one, which takes a second each time.
 */
public final class ByServer implements ClassOrderer {

  private static final Comparator<ClassDescriptor> BY_SERVER =
      Comparator.comparing(test -> serverOf(test.getTestClass()));

  @Override
  public void orderClasses(ClassOrdererContext context) {
    context.getClassDescriptors().sort(BY_SERVER);
  }

  /** What its server is told beyond the defaults; empty without a server. */
  private static String serverOf(Class<?> test) {
    MergedAnnotations annotations = MergedAnnotations.from(test, SearchStrategy.TYPE_HIERARCHY);
    if (!annotations.isPresent(RunningServer.class)) {
      return "";
    }
    return annotations.stream(TestPropertySource.class)
        .flatMap(source -> Stream.of(source.getStringArray("properties")))
        .sorted()
        .collect(Collectors.joining(",", "server:", ""));
  }
}
