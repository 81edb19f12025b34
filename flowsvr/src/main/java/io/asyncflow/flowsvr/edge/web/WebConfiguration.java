package io.asyncflow.flowsvr.edge.web;

import io.asyncflow.flowsvr.edge.web.read.FieldsResolver;
import java.util.List;
import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.http.MediaType;
import org.springframework.web.filter.RequestContextFilter;
import org.springframework.web.method.support.HandlerMethodArgumentResolver;
import org.springframework.web.servlet.config.annotation.ContentNegotiationConfigurer;
import org.springframework.web.servlet.config.annotation.WebMvcConfigurer;

@Configuration
class WebConfiguration implements WebMvcConfigurer {

  private final FieldsResolver fields;

  WebConfiguration(FieldsResolver fields) {
    this.fields = fields;
  }

  /** Spring's servlet keeps the request for its thread by itself, and no filter asks for it. */
  @Bean
  FilterRegistrationBean<RequestContextFilter> noRequestContextFilter() {
    FilterRegistrationBean<RequestContextFilter> none =
        new FilterRegistrationBean<>(new RequestContextFilter());
    none.setEnabled(false);
    return none;
  }

  @Override
  public void addArgumentResolvers(List<HandlerMethodArgumentResolver> resolvers) {
    resolvers.add(fields);
  }

  /** Every answer is JSON, whatever the {@code Accept} header says. */
  @Override
  public void configureContentNegotiation(ContentNegotiationConfigurer configurer) {
    configurer.ignoreAcceptHeader(true).defaultContentType(MediaType.APPLICATION_JSON);
  }
}
