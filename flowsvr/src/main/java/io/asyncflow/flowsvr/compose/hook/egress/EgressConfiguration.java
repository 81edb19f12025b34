package io.asyncflow.flowsvr.compose.hook.egress;

import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import javax.net.ssl.SSLContext;
import org.apache.hc.client5.http.SystemDefaultDnsResolver;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.ssl.SslBundles;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

@Configuration
class EgressConfiguration {

  private static final Duration TIMEOUT = Duration.ofSeconds(10);

  @Bean
  HookAllow hookAllow(@Value("${flow.hooks.allow:}") String allow) {
    return HookAllow.parse(allow);
  }

  /**
   * @param bundle the SSL bundle with the certificates that are trusted; empty for those of Java
   */
  @Bean
  HookClient hookClient(
      HookAllow allow, SslBundles bundles, @Value("${flow.hooks.ssl-bundle:}") String bundle)
      throws NoSuchAlgorithmException {
    SSLContext tls =
        bundle.isEmpty() ? SSLContext.getDefault() : bundles.getBundle(bundle).createSslContext();
    return new HookClient(allow, SystemDefaultDnsResolver.INSTANCE, tls, TIMEOUT);
  }
}
