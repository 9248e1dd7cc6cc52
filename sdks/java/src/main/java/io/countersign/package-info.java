/** Asks a Countersign server whether a license is valid. Begin with {@link io.countersign.Countersign#builder()}. */
package io.countersign;
