package io.countersign.spring;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Requires a valid license: on a method of a controller, or on the class for all of its methods. The annotation of a method
 * has precedence over that of its class.
 */
@Documented
@Inherited
@Retention(RetentionPolicy.RUNTIME)
@Target({ElementType.TYPE, ElementType.METHOD})
public @interface RequireLicense {
  /** The licensed app's version, instead of {@code countersign.version}. */
  String version() default "";
}
