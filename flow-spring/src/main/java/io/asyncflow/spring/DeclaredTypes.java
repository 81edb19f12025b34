package io.asyncflow.spring;

import io.asyncflow.api.TaskTypeSettings;
import io.asyncflow.api.TypeSetting;
import java.util.List;
import java.util.Map;
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
import org.springframework.boot.context.properties.source.ConfigurationPropertyName.Form;
import org.springframework.boot.context.properties.source.UnboundElementsSourceFilter;
import org.springframework.core.env.Environment;

/** The names of the settings of the task types that properties declare. */
final class DeclaredTypes {

  private static final String PREFIX = "asyncflow.client.types";

  private static final Bindable<Map<String, TaskTypeSettings>> ALL =
      Bindable.mapOf(String.class, TaskTypeSettings.class);

  private static final List<String> SETTINGS =
      TypeSetting.byComponent().keySet().stream()
          .map(DataObjectPropertyName::toDashedForm)
          .toList();

  /** The elements of the name of a setting: the prefix, a type, and the setting. */
  private static final int ELEMENTS = 5;

  private DeclaredTypes() {}

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
            if (name.getNumberOfElements() == ELEMENTS
                && !SETTINGS.contains(name.getLastElement(Form.DASHED))) {
              return null; // of the record, and no setting
            }
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
            "The settings are " + String.join(", ", SETTINGS) + ".",
            e);
      }
      throw e;
    }
  }

  private static String placeOf(ConfigurationProperty property) {
    return property.getOrigin() == null ? "" : " (" + property.getOrigin() + ")";
  }
}
