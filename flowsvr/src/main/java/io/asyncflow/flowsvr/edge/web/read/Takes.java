package io.asyncflow.flowsvr.edge.web.read;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Declares what a controller method reads from its {@link Fields} and what it answers, for the API
 * description.
 */
@Target(ElementType.METHOD)
@Retention(RetentionPolicy.RUNTIME)
public @interface Takes {

  /** One sentence: what the call does. */
  String summary();

  /** Records whose components are the fields; a request has the shape of one of them. */
  Class<?>[] shape() default {};

  /** Whether the answer is a page of rows, of which few are made at once. */
  boolean list() default false;
}
