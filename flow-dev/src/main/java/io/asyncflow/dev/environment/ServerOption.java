package io.asyncflow.dev.environment;

import io.asyncflow.api.FlowClient;
import io.asyncflow.api.HttpFlowClient;
import io.asyncflow.dev.DevException;
import io.asyncflow.dev.UsageException;
import java.net.URI;
import java.time.Duration;
import java.util.Map;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;
import picocli.CommandLine.TypeConversionException;

/** The running server that a command calls, as a mixin of the command. */
public final class ServerOption {
  private static final String VARIABLE = "FLOW_URL";

  @Option(
      names = "--url",
      paramLabel = "URL",
      converter = ServerUrl.class,
      description = "the server, as http://127.0.0.1:8081; " + VARIABLE + " if it is not given")
  private URI url;

  @Spec(Spec.Target.MIXEE)
  private CommandSpec command;

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
   * A client of the server, with the key of the environment.
   *
   * @param patience how long an answer may take
   * @throws UsageException if there is no server
   * @throws DevException if the key cannot be read
   */
  public FlowClient client(Map<String, String> environment, Duration patience) {
    return new HttpFlowClient(url(environment), ApiKey.in(environment).text(), patience);
  }
}
