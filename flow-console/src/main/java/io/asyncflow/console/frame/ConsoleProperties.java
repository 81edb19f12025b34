package io.asyncflow.console.frame;

import java.util.Locale;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Settings of the console.
 *
 * @param path at which its pages are
 * @param environment a word that each page shows in its header, such as {@code production}; empty
 *     for none
 */
@ConfigurationProperties("asyncflow.console")
public record ConsoleProperties(
    @DefaultValue("/console") String path, @DefaultValue("") String environment) {

  /** Whether mistakes here cost more than elsewhere; the header shows it. */
  public boolean isProduction() {
    return environment.toLowerCase(Locale.ROOT).startsWith("prod");
  }
}
