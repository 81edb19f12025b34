package io.asyncflow.dev.environment;

import io.asyncflow.api.FlowClient;
import io.asyncflow.api.HttpFlowClient;
import io.asyncflow.api.TrustedRoots;
import io.asyncflow.dev.DevException;
import io.asyncflow.dev.UsageException;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import javax.net.ssl.SSLContext;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;
import picocli.CommandLine.TypeConversionException;

/** The running server that a command calls, as a mixin of the command. */
public final class ServerOption {
  private static final String VARIABLE = "FLOW_URL";

  /** Names a file with the certificate authorities to trust. */
  public static final String ROOTS_VARIABLE = "FLOW_CA";

  @Option(
      names = "--url",
      paramLabel = "URL",
      converter = ServerUrl.class,
      description = {
        "the server, as http://127.0.0.1:8081; " + VARIABLE + " if it is not given",
        "for https, " + ROOTS_VARIABLE + " may name a PEM file with authorities to trust"
      })
  private URI url;

  @Spec(Spec.Target.MIXEE)
  private CommandSpec command;

  /** Makes it an option of a command. */
  public void addTo(CommandSpec mixee) {
    mixee.addMixin("server", CommandSpec.forAnnotatedObject(this));
    command = mixee;
  }

  /** The URL of a server, as people write it. */
  static final class ServerUrl implements ITypeConverter<URI> {
    @Override
    public URI convert(String text) {
      try {
        return HttpFlowClient.parseUrl(text);
      } catch (IllegalArgumentException e) {
        throw new TypeConversionException("must be " + e.getMessage());
      }
    }
  }

  /**
   * The server that is named, or that the environment names.
   *
   * @throws UsageException if there is none
   */
  public URI url(Map<String, String> environment) {
    if (url != null) {
      return url;
    }
    String text = environment.getOrDefault(VARIABLE, "");
    if (text.isBlank()) {
      throw new UsageException(
          command.name() + " needs a server: say --url URL or set " + VARIABLE + ".");
    }
    try {
      return new ServerUrl().convert(text);
    } catch (TypeConversionException e) {
      throw new UsageException(VARIABLE + " " + e.getMessage() + ".");
    }
  }

  /**
   * A client of the server, with the key and the certificate authorities of the environment.
   *
   * @param patience how long an answer may take
   * @throws UsageException if there is no server, or no certificate in the file of the authorities
   * @throws DevException if the key cannot be read
   */
  public FlowClient client(Map<String, String> environment, Duration patience) {
    return new HttpFlowClient(
        url(environment), ApiKey.in(environment).text(), patience, roots(environment));
  }

  /** {@code null} for those of Java. */
  private static SSLContext roots(Map<String, String> environment) {
    String file = environment.getOrDefault(ROOTS_VARIABLE, "").strip();
    try {
      return file.isEmpty() ? null : TrustedRoots.in(Path.of(file));
    } catch (IllegalArgumentException e) {
      throw new UsageException(ROOTS_VARIABLE + " must be " + e.getMessage() + ".");
    }
  }
}
