package io.asyncflow.flowsvr.access.token;

import io.asyncflow.flowsvr.access.key.KnownKeys;
import io.asyncflow.flowsvr.system.BadSettingException;
import io.asyncflow.flowsvr.system.Node;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Condition;
import org.springframework.context.annotation.ConditionContext;
import org.springframework.context.annotation.Conditional;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.type.AnnotatedTypeMetadata;

@Configuration(proxyBeanMethods = false)
class TokenConfiguration {

  /** An empty setting is none, which Spring's conditions do not take for one. */
  static class IssuerIsSet implements Condition {

    @Override
    public boolean matches(ConditionContext context, AnnotatedTypeMetadata metadata) {
      return !context.getEnvironment().getProperty("flow.oidc.issuer", "").isBlank();
    }
  }

  @Bean
  @Conditional(IssuerIsSet.class)
  Tokens tokens(OidcProperties oidc, ObjectProvider<KnownKeys> keys, Node node) {
    KnownKeys known = keys.getIfAvailable();
    if (known == null) {
      throw new BadSettingException(
          "FLOW_OIDC_ISSUER needs FLOW_ACCESS=keys: without it, FLOW_API_KEY alone opens the server.");
    }
    oidc.check();
    return new Tokens(oidc, known, node);
  }
}
