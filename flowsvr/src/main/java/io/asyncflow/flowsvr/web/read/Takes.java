package io.asyncflow.flowsvr.web.read;

import io.asyncflow.flowsvr.web.load.ListShare;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/** What a method reads from its {@link Fields}, for the API's description, and what it answers. */
@Target(ElementType.METHOD)
@Retention(RetentionPolicy.RUNTIME)
public @interface Takes {

  /** One sentence: what the call does. */
  String summary();

  /** Records whose components are the fields; any one of them. */
  Class<?>[] shape() default {};

  /**
   * Whether it answers a page of rows, of which {@link ListShare} lets only some be made at once.
   */
  boolean list() default false;
}
