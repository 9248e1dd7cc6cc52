package io.countersign.spring;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * On a parameter of type {@link io.countersign.WebhookEvent}: the verified event of a delivery. Other requests get 400. The
 * method needs no license, and no other parameter that reads the body.
 */
@Documented
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.PARAMETER)
public @interface CountersignWebhook {}
