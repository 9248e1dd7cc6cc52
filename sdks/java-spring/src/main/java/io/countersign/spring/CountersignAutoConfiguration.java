package io.countersign.spring;

import io.countersign.Countersign;
import io.countersign.CountersignBuilder;
import io.countersign.FileGraceStore;
import io.countersign.Signing;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;

/** One client for the whole app, from the properties {@code countersign.*}. */
@AutoConfiguration
@EnableConfigurationProperties(CountersignProperties.class)
public class CountersignAutoConfiguration {
  /** A mistake in the properties ends the start of the app. */
  @Bean
  @ConditionalOnMissingBean
  Countersign countersign(
      CountersignProperties properties, ObjectProvider<CountersignBuilderCustomizer> customizers) {
    CountersignBuilder builder =
        Countersign.builder()
            .apiKey(properties.apiKey())
            .baseUrl(properties.baseUrl())
            .timeout(properties.timeout())
            .retries(properties.retries())
            .cache(properties.cache())
            .cacheEntries(properties.cacheEntries())
            .notFoundCache(properties.notFoundCache())
            .grace(properties.grace())
            .deviceId(properties.deviceId())
            .version(properties.version())
            .userAgent("countersign-spring-boot/" + StarterVersion.VERSION);
    if (properties.graceFolder() != null) builder.graceStore(new FileGraceStore(properties.graceFolder()));
    if (properties.advisory()) builder.advisory();
    if (properties.allowSandbox()) builder.allowSandbox();
    CountersignProperties.Signing signing = properties.signing();
    if (signing != null) builder.signing(Signing.with(signing.productId(), signing.secrets()));
    customizers.orderedStream().forEach(customizer -> customizer.customize(builder));
    return builder.build();
  }
}
