package io.asyncflow.flowsvr.edge.web.tls;

import io.asyncflow.flowsvr.base.system.BadSettingException;
import io.asyncflow.flowsvr.base.system.OwnerOnly;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.springframework.boot.autoconfigure.ssl.PemSslBundleProperties;
import org.springframework.boot.autoconfigure.ssl.PropertiesSslBundle;
import org.springframework.boot.context.event.ApplicationEnvironmentPreparedEvent;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.ssl.SslStoreBundle;
import org.springframework.context.ApplicationListener;
import org.springframework.core.NestedExceptionUtils;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.core.env.Environment;
import org.springframework.core.env.MapPropertySource;

/**
 * Turns TLS on if a certificate is set, and refuses files that TLS would fail with.
 *
 * <p>The server uses the SSL bundle {@code flowsvr} of application.yml. Spring Boot watches its
 * files: new connections get a new certificate, open ones go on. Files that do not fit together are
 * not taken over, so certificate and key may be replaced one after the other.
 */
class TlsSettings implements ApplicationListener<ApplicationEnvironmentPreparedEvent> {

  private static final String BUNDLE = "flowsvr";
  private static final String BUNDLE_PROPERTIES = "spring.ssl.bundle.pem." + BUNDLE;

  @Override
  public void onApplicationEvent(ApplicationEnvironmentPreparedEvent event) {
    ConfigurableEnvironment settings = event.getEnvironment();
    checkWords(settings);
    boolean hasCert = checkFile(settings, "flow.tls.cert", "FLOW_TLS_CERT");
    boolean hasKey = checkFile(settings, "flow.tls.key", "FLOW_TLS_KEY");
    boolean hasClientCa = checkFile(settings, "flow.tls.client-ca", "FLOW_TLS_CLIENT_CA");
    boolean asksClients = !of(settings, "flow.tls.clients").isEmpty();
    if (hasCert != hasKey) {
      throw new BadSettingException(
          "FLOW_TLS_CERT and FLOW_TLS_KEY belong together: set both, or none.");
    }
    if (asksClients != hasClientCa || asksClients && !hasCert) {
      throw new BadSettingException(
          "FLOW_TLS_CLIENTS, FLOW_TLS_CLIENT_CA, FLOW_TLS_CERT and FLOW_TLS_KEY belong together: a"
              + " server asks clients for certificates of an authority over TLS of its own.");
    }
    if (hasCert) {
      checkKeyIsSecret(Path.of(of(settings, "flow.tls.key")));
      turnOn(settings);
      load(settings);
      ReloadErrors.shorten();
    }
  }

  private static void checkWords(Environment settings) {
    String mode = of(settings, "flow.tls.mode");
    if (!mode.isEmpty() && !mode.equals(ClearTextWarning.PROXY)) {
      throw new BadSettingException(
          "FLOW_TLS is '"
              + mode
              + "' and may only be proxy, if a proxy in front of the server terminates TLS; for TLS"
              + " of the server itself set FLOW_TLS_CERT and FLOW_TLS_KEY.");
    }
    String clients = of(settings, "flow.tls.clients");
    if (!List.of("", "want", "need").contains(clients)) {
      throw new BadSettingException(
          "FLOW_TLS_CLIENTS is '"
              + clients
              + "' and must be want, to check certificates of clients that have one, or need, to"
              + " refuse clients without one.");
    }
  }

  /** Returns whether the setting names a file; one that cannot be read is refused. */
  private static boolean checkFile(Environment settings, String name, String variable) {
    String file = of(settings, name);
    if (!file.isEmpty() && !isReadableFile(file)) {
      // Without the value, which might be a key instead of the name of its file.
      throw new BadSettingException(
          variable + " must name a file in PEM format that this process can read.");
    }
    return !file.isEmpty();
  }

  private static boolean isReadableFile(String file) {
    try {
      return Files.isReadable(Path.of(file)) && !Files.isDirectory(Path.of(file));
    } catch (IllegalArgumentException e) { // no path at all
      return false;
    }
  }

  private static void checkKeyIsSecret(Path key) {
    try {
      if (OwnerOnly.isReadableByOthers(key)) {
        throw new BadSettingException(
            "FLOW_TLS_KEY names "
                + key
                + ", which every user of this machine can read; change that with: chmod o= "
                + key);
      }
    } catch (IOException e) {
      throw new BadSettingException("FLOW_TLS_KEY names " + key + ": " + e + ".");
    }
  }

  private static void turnOn(ConfigurableEnvironment settings) {
    Map<String, Object> on = new HashMap<>();
    on.put("server.ssl.bundle", BUNDLE);
    on.put(BUNDLE_PROPERTIES + ".keystore.verify-keys", true);
    String clients = of(settings, "flow.tls.clients");
    if (!clients.isEmpty()) {
      on.put("server.ssl.client-auth", clients);
    }
    settings.getPropertySources().addFirst(new MapPropertySource("tls", on));
  }

  /** Reads the files as Spring Boot will, which would report an error in terms of beans. */
  private static void load(Environment settings) {
    PemSslBundleProperties bundle =
        Binder.get(settings).bind(BUNDLE_PROPERTIES, PemSslBundleProperties.class).get();
    try {
      SslStoreBundle stores = PropertiesSslBundle.get(bundle).getStores();
      stores.getKeyStore();
      stores.getTrustStore();
    } catch (RuntimeException e) {
      throw new BadSettingException(
          "FLOW_TLS_CERT, FLOW_TLS_KEY and FLOW_TLS_CLIENT_CA must be PEM files, and the key that of"
              + " the certificate ("
              + NestedExceptionUtils.getMostSpecificCause(e).getMessage()
              + ").");
    }
  }

  private static String of(Environment settings, String name) {
    return settings.getProperty(name, "").strip();
  }
}
