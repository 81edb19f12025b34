package io.asyncflow.flowsvr;

import org.junit.jupiter.api.Test;
import org.springframework.modulith.core.ApplicationModules;

/** The features are modules: no cycles, and none reaches into another one's insides. */
class ModularityTest {

  @Test
  void featuresAreModules() {
    ApplicationModules.of(FlowServer.class).verify();
  }
}
