package io.asyncflow.flowsvr.web;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/** Tells the API's description what a method reads from its {@link Fields}. */
@Target(ElementType.METHOD)
@Retention(RetentionPolicy.RUNTIME)
public @interface Takes {

  /** One sentence: what the call does. */
  String summary();

  /** Records whose components are the fields; any one of them. */
  Class<?>[] shape() default {};
}
