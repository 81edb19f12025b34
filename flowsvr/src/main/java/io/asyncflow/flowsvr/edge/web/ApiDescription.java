package io.asyncflow.flowsvr.edge.web;

import io.asyncflow.flowsvr.edge.web.error.ErrorBody;
import io.asyncflow.flowsvr.edge.web.read.Fields;
import io.asyncflow.flowsvr.edge.web.read.Takes;
import io.swagger.v3.core.converter.ModelConverters;
import io.swagger.v3.oas.models.Components;
import io.swagger.v3.oas.models.OpenAPI;
import io.swagger.v3.oas.models.Operation;
import io.swagger.v3.oas.models.PathItem;
import io.swagger.v3.oas.models.info.Info;
import io.swagger.v3.oas.models.media.Content;
import io.swagger.v3.oas.models.media.MediaType;
import io.swagger.v3.oas.models.media.Schema;
import io.swagger.v3.oas.models.parameters.QueryParameter;
import io.swagger.v3.oas.models.parameters.RequestBody;
import io.swagger.v3.oas.models.responses.ApiResponse;
import io.swagger.v3.oas.models.security.SecurityRequirement;
import io.swagger.v3.oas.models.security.SecurityScheme;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;
import org.springdoc.core.customizers.OpenApiCustomizer;
import org.springdoc.core.customizers.OperationCustomizer;
import org.springdoc.core.utils.SpringDocUtils;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/**
 * Builds the OpenAPI description at {@code /v3/api-docs}. It adds the request fields that {@link
 * Takes} declares, which springdoc cannot see, and the common shape of errors.
 */
@Configuration
class ApiDescription {

  private static final String JSON = "application/json";
  private static final String FORM = "application/x-www-form-urlencoded";
  private static final String PROBLEM = "application/problem+json";
  private static final String KEY = "key";

  /** Of requests, which springdoc does not see, by the names of their records. */
  private final Map<String, Schema> shapes = new ConcurrentHashMap<>();

  static {
    SpringDocUtils.getConfig().addRequestWrapperToIgnore(Fields.class);
  }

  @Bean
  OpenAPI asyncflowApi() {
    return new OpenAPI()
        .info(
            new Info()
                .title("Asyncflow")
                .version("1")
                .description(
                    "Every success is `{\"msg\":\"ok\",\"code\":0,\"result\":...}` with status 200."
                        + " snake_case names are taken as well as the camelCase ones shown;"
                        + " docs/api.md has the meaning of each field."))
        .components(
            new Components()
                .addSecuritySchemes(
                    KEY, new SecurityScheme().type(SecurityScheme.Type.HTTP).scheme("bearer")))
        .addSecurityItem(new SecurityRequirement().addList(KEY));
  }

  @Bean
  OperationCustomizer requestShapes() {
    return (operation, method) -> {
      Takes takes = method.getMethodAnnotation(Takes.class);
      return takes == null ? operation : describe(operation, takes);
    };
  }

  /**
   * Adds the fields as parameters and as a body; a later step keeps one of them by the HTTP method.
   */
  private Operation describe(Operation operation, Takes takes) {
    operation.setSummary(takes.summary());
    if (takes.shape().length == 0) {
      return operation;
    }
    List<Schema> references =
        Arrays.stream(takes.shape()).<Schema>map(ApiDescription::reference).toList();
    Schema<?> schema =
        references.size() == 1 ? references.get(0) : new Schema<>().oneOf(references);
    MediaType body = new MediaType().schema(schema);
    operation.setRequestBody(
        new RequestBody().content(new Content().addMediaType(JSON, body).addMediaType(FORM, body)));
    operation.setParameters(null);
    Stream.of(takes.shape()).map(ApiDescription::schemasOf).forEach(shapes::putAll);
    shapes
        .get(takes.shape()[0].getSimpleName())
        .getProperties()
        .forEach(
            (name, property) ->
                operation.addParametersItem(
                    new QueryParameter().name((String) name).schema((Schema<?>) property)));
    return operation;
  }

  @Bean
  OpenApiCustomizer wholeApi() {
    return api -> {
      Components components = api.getComponents();
      shapes.forEach(components::addSchemas);
      schemasOf(ErrorBody.class).forEach(components::addSchemas);
      api.getPaths().values().forEach(ApiDescription::finish);
    };
  }

  private static void finish(PathItem path) {
    path.readOperationsMap()
        .forEach(
            (method, operation) -> {
              if (method == PathItem.HttpMethod.GET) {
                operation.setRequestBody(null);
              } else if (method == PathItem.HttpMethod.POST) {
                operation.setParameters(null);
              }
              operation.getResponses().addApiResponse("default", refused());
            });
  }

  private static ApiResponse refused() {
    MediaType body = new MediaType().schema(reference(ErrorBody.class));
    return new ApiResponse()
        .description("Refused or failed, with the status of its code")
        .content(new Content().addMediaType(JSON, body).addMediaType(PROBLEM, body));
  }

  private static Map<String, Schema> schemasOf(Class<?> type) {
    return ModelConverters.getInstance(true).readAll(type);
  }

  private static Schema<?> reference(Class<?> type) {
    return new Schema<>().$ref("#/components/schemas/" + type.getSimpleName());
  }
}
