/** License validation for Spring Boot. */
package io.countersign.spring;
