package io.asyncflow.flowsvr.edge.web.read;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.springframework.core.annotation.AliasFor;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestMethod;

/** Maps the paths of a call that only reads: its fields come by GET or in the body of a POST. */
@Target(ElementType.METHOD)
@Retention(RetentionPolicy.RUNTIME)
@RequestMapping(method = {RequestMethod.GET, RequestMethod.POST})
public @interface GetOrPost {

  @AliasFor(annotation = RequestMapping.class, attribute = "path")
  String[] value();
}
