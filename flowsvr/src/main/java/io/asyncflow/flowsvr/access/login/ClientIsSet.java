package io.asyncflow.flowsvr.access.login;

import org.springframework.context.annotation.Condition;
import org.springframework.context.annotation.ConditionContext;
import org.springframework.core.type.AnnotatedTypeMetadata;

/**
 * Whether people log in at the issuer. An empty setting is none, which Spring's conditions do not
 * take for one.
 */
public class ClientIsSet implements Condition {

  @Override
  public boolean matches(ConditionContext context, AnnotatedTypeMetadata metadata) {
    return !context.getEnvironment().getProperty("flow.oidc.client-id", "").isBlank();
  }
}
