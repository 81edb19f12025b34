package io.asyncflow.flowsvr.compose.job;

import io.asyncflow.flowsvr.RunningServer;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.springframework.test.context.TestPropertySource;

/**
 * A {@link RunningServer} on which a job takes no step, and no duty sweeps or cleans, until the
 * test does it. All tests with this annotation share it.
 */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@RunningServer
@TestPropertySource(
    properties = {
      "flow.job.step-threads=0",
      "flow.governance.sweep-interval=1h",
      "flow.governance.cleaning-interval=1h"
    })
public @interface HandDrivenServer {}
