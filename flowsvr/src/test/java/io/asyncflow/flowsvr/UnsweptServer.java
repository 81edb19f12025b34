package io.asyncflow.flowsvr;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.springframework.test.context.TestPropertySource;

/**
 * A {@link RunningServer} on which a lease that ran out stays so until the test sweeps, and a row
 * that cannot be until it audits: for tests that change rows by hand. They share one server, too.
 */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@RunningServer
@TestPropertySource(properties = "flow.governance.sweep-interval=1h")
public @interface UnsweptServer {}
