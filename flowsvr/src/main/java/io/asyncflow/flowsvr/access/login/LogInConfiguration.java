package io.asyncflow.flowsvr.access.login;

import io.asyncflow.flowsvr.access.key.KnownKeys;
import io.asyncflow.flowsvr.access.token.IssuerHttp;
import io.asyncflow.flowsvr.access.token.Tokens;
import io.asyncflow.flowsvr.system.Node;
import io.asyncflow.rules.access.KeySeals;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Conditional;
import org.springframework.context.annotation.Configuration;

@Configuration(proxyBeanMethods = false)
class LogInConfiguration {

  @Bean
  @Conditional(ClientIsSet.class)
  IssuerLogIns issuerLogIns(
      LogInProperties client,
      ObjectProvider<Tokens> tokens,
      ObjectProvider<KnownKeys> keys,
      KeySeals peppers,
      Node node,
      @Value("${asyncflow.console.path:/console}") String console,
      @Value("${flow.tls.mode:}") String tls,
      @Value("${server.forward-headers-strategy:none}") String forwarded) {
    client.check(console);
    boolean knowsNetworks =
        !tls.strip().equals("proxy") || !forwarded.strip().equalsIgnoreCase("none");
    Tokens ofIssuer = tokens.getObject();
    return new IssuerLogIns(
        client,
        ofIssuer.issuer(),
        new CodeExchange(client, new IssuerHttp(), node),
        ofIssuer.ofPeople(client.clientId()),
        keys.getObject(),
        new LogInSeal(peppers, client.clientSecret()),
        new IssuerShare(node, knowsNetworks));
  }
}
