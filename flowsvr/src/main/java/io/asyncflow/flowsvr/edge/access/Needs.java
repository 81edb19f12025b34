package io.asyncflow.flowsvr.edge.access;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * The verb that a caller of a controller method must have. The server does not start with a
 * controller method that lacks this.
 */
@Target(ElementType.METHOD)
@Retention(RetentionPolicy.RUNTIME)
public @interface Needs {

  /**
   * One of these is needed; with none, every caller with a valid key may call. With several, the
   * method itself decides by what was sent which one it needs.
   */
  Verb[] value();
}
