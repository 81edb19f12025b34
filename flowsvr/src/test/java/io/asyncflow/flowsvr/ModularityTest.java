package io.asyncflow.flowsvr;

import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.springframework.modulith.core.ApplicationModuleDetectionStrategy;
import org.springframework.modulith.core.ApplicationModules;
import org.springframework.modulith.core.JavaPackage;

/** The features are modules: no cycles, and none reaches into another one's insides. */
class ModularityTest {

  @Test
  void featuresAreModules() {
    ApplicationModules.of(FlowServer.class).verify();
  }

  /** The packages of the wings; named in {@code META-INF/spring.factories}. */
  static class Features implements ApplicationModuleDetectionStrategy {

    @Override
    public Stream<JavaPackage> getModuleBasePackages(JavaPackage server) {
      return server.getDirectSubPackages().stream()
          .flatMap(wing -> wing.getDirectSubPackages().stream());
    }
  }
}
