package io.countersign.spring;

import io.countersign.Countersign;
import jakarta.servlet.http.HttpServletRequest;
import java.util.List;
import org.slf4j.LoggerFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.context.annotation.Bean;
import org.springframework.web.method.support.HandlerMethodArgumentResolver;
import org.springframework.web.servlet.config.annotation.InterceptorRegistry;
import org.springframework.web.servlet.config.annotation.WebMvcConfigurer;

/** Requires licenses in controllers, and receives webhooks. */
@AutoConfiguration(after = CountersignAutoConfiguration.class)
@ConditionalOnClass(WebMvcConfigurer.class)
@ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.SERVLET)
public class CountersignWebAutoConfiguration {
  @Bean
  @ConditionalOnMissingBean
  LicenseRequestReader licenseRequestReader(CountersignProperties properties) {
    return new LicenseRequestReader() {
      @Override
      public String key(HttpServletRequest request) {
        return LicenseKeys.in(request, properties.header());
      }
    };
  }

  @Bean
  @ConditionalOnMissingBean
  LicenseRefusalHandler licenseRefusalHandler() {
    return (refusal, request, response) -> {
      refusal.retryAfterSeconds().ifPresent(seconds -> response.setHeader("Retry-After", seconds.toString()));
      JsonResponse.write(response, refusal.status(), refusal.body());
    };
  }

  @Bean
  LicenseDecider licenseDecider(Countersign client, LicenseRequestReader reader, CountersignProperties properties) {
    return new LicenseDecider(
        client,
        reader,
        properties.unknownKeysPerMinute(),
        LoggerFactory.getLogger("io.countersign"),
        System::nanoTime);
  }

  @Bean
  WebhookRefusedResolver webhookRefusedResolver() {
    return new WebhookRefusedResolver();
  }

  @Bean
  WebMvcConfigurer countersignWebMvcConfigurer(
      LicenseDecider licenses, LicenseRefusalHandler refusals, CountersignProperties properties) {
    LicenseInterceptor interceptor = new LicenseInterceptor(licenses, refusals, properties);
    WebhookArgumentResolver webhooks = new WebhookArgumentResolver(properties.webhookSecret());
    return new WebMvcConfigurer() {
      @Override
      public void addInterceptors(InterceptorRegistry registry) {
        registry.addInterceptor(interceptor);
      }

      @Override
      public void addArgumentResolvers(List<HandlerMethodArgumentResolver> resolvers) {
        resolvers.add(new LicenseArgumentResolver(licenses));
        resolvers.add(webhooks);
      }
    };
  }
}
