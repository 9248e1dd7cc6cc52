/** Validates licenses against a Countersign server. Start with {@link io.countersign.Countersign#builder()}. */
package io.countersign;
