package io.asyncflow.spring;

import io.asyncflow.api.RecordCopy;
import io.asyncflow.api.TaskTypeSettings;
import java.util.Arrays;
import java.util.Map;
import java.util.stream.Collectors;
import org.springframework.boot.context.properties.bind.BindContext;
import org.springframework.boot.context.properties.bind.BindException;
import org.springframework.boot.context.properties.bind.BindHandler;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.bind.DataObjectPropertyName;
import org.springframework.boot.context.properties.bind.UnboundConfigurationPropertiesException;
import org.springframework.boot.context.properties.bind.handler.NoUnboundElementsBindHandler;
import org.springframework.boot.context.properties.source.ConfigurationProperty;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.UnboundElementsSourceFilter;
import org.springframework.core.env.Environment;

/**
 * The settings of a task type that properties declare; {@code null} for those that they leave as
 * they are. {@link TaskTypeSettings} says what they mean.
 */
public record DeclaredType(
    Integer scheduleLimit,
    Integer scheduleInterval,
    Integer maxProcessingTime,
    Integer maxRetryNum,
    Integer retryInterval,
    Integer maxRetryInterval,
    Integer maxUnexpectedRetries,
    Integer leaseSeconds,
    Integer maxDelivery,
    Long rollThreshold,
    Integer retentionDays,
    Integer maxExecuting,
    Integer rateLimit,
    Integer userRateLimit,
    Integer minWorkerVersion,
    Integer paused,
    Integer events,
    Integer sealed) {

  private static final String PREFIX = "asyncflow.client.types";

  private static final Bindable<Map<String, DeclaredType>> ALL =
      Bindable.mapOf(String.class, DeclaredType.class);

  /**
   * Binds the types once more, and refuses what is left over. The properties cannot do this
   * themselves: beside the types they have settings of others.
   *
   * @throws SetupException if a name is no setting of a type
   */
  static void requireKnownNames(Environment environment) {
    BindHandler strict =
        new NoUnboundElementsBindHandler(BindHandler.DEFAULT, new UnboundElementsSourceFilter()) {
          @Override
          public <T> Bindable<T> onStart(
              ConfigurationPropertyName name, Bindable<T> target, BindContext context) {
            onSuccess(name, target, context, null); // a known name, even with an empty value
            return super.onStart(name, target, context);
          }
        };
    try {
      Binder.get(environment).bind(PREFIX, ALL, strict);
    } catch (BindException e) {
      if (e.getCause() instanceof UnboundConfigurationPropertiesException unknown) {
        ConfigurationProperty first = unknown.getUnboundProperties().iterator().next();
        throw new SetupException(
            first.getName() + " is no setting of a task type" + placeOf(first) + ".",
            "The settings are " + names() + ".",
            e);
      }
      throw e;
    }
  }

  private static String placeOf(ConfigurationProperty property) {
    return property.getOrigin() == null ? "" : " (" + property.getOrigin() + ")";
  }

  private static String names() {
    return Arrays.stream(DeclaredType.class.getRecordComponents())
        .map(setting -> DataObjectPropertyName.toDashedForm(setting.getName()))
        .collect(Collectors.joining(", "));
  }

  TaskTypeSettings named(String taskType) {
    return RecordCopy.with(TaskTypeSettings.named(taskType), RecordCopy.valuesOf(this));
  }
}
