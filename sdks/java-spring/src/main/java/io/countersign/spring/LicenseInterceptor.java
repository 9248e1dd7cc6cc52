package io.countersign.spring;

import jakarta.servlet.DispatcherType;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.lang.reflect.AnnotatedElement;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.springframework.core.annotation.MergedAnnotation;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.core.annotation.MergedAnnotations.SearchStrategy;
import org.springframework.http.server.PathContainer;
import org.springframework.web.cors.CorsUtils;
import org.springframework.web.method.HandlerMethod;
import org.springframework.web.servlet.HandlerInterceptor;
import org.springframework.web.util.ServletRequestPathUtils;
import org.springframework.web.util.pattern.PathPattern;
import org.springframework.web.util.pattern.PathPatternParser;

/** Lets only requests with a valid license reach the handlers that require one. */
final class LicenseInterceptor implements HandlerInterceptor {
  private final LicenseDecider licenses;
  private final LicenseRefusalHandler refusals;
  private final boolean isRequiredEverywhere;
  private final List<PathPattern> skippedPaths;

  LicenseInterceptor(LicenseDecider licenses, LicenseRefusalHandler refusals, CountersignProperties properties) {
    this.licenses = licenses;
    this.refusals = refusals;
    isRequiredEverywhere = properties.required();
    skippedPaths = properties.skipPaths().stream().map(PathPatternParser.defaultInstance::parse).toList();
  }

  @Override
  public boolean preHandle(HttpServletRequest request, HttpServletResponse response, Object handler)
      throws IOException {
    Optional<String> version = requiredVersion(request, handler);
    if (version.isEmpty()) return true;
    License license = licenses.decide(request, version.get());
    if (license.allowed()) return true;
    refusals.handle(Refusal.of(license), request, response);
    return false;
  }

  /** Empty if the handler requires no license. */
  private Optional<String> requiredVersion(HttpServletRequest request, Object handler) {
    // The error page of a request that was already decided about.
    if (request.getDispatcherType() == DispatcherType.ERROR) return Optional.empty();
    if (handler instanceof HandlerMethod method) {
      if (receivesWebhooks(method)) return Optional.empty();
      // The nearest annotation wins: a skipped method in a class that requires a license, and vice versa.
      for (AnnotatedElement element : List.of(method.getMethod(), method.getBeanType())) {
        MergedAnnotations annotations = MergedAnnotations.from(element, SearchStrategy.TYPE_HIERARCHY);
        MergedAnnotation<SkipLicense> skip = annotations.get(SkipLicense.class);
        MergedAnnotation<RequireLicense> require = annotations.get(RequireLicense.class);
        // An annotation of a superclass or interface is further away.
        if (skip.isPresent() && (!require.isPresent() || skip.getAggregateIndex() < require.getAggregateIndex()))
          return Optional.empty();
        if (require.isPresent()) return Optional.of(require.getString("version"));
      }
    } else if (CorsUtils.isPreFlightRequest(request)) {
      // Browsers send no key with it, and Spring itself responds.
      return Optional.empty();
    }
    return isRequiredEverywhere && !isSkipped(request) ? Optional.of("") : Optional.empty();
  }

  private boolean isSkipped(HttpServletRequest request) {
    if (skippedPaths.isEmpty()) return false;
    PathContainer path = ServletRequestPathUtils.parseAndCache(request).pathWithinApplication();
    return skippedPaths.stream().anyMatch(pattern -> pattern.matches(path));
  }

  private static boolean receivesWebhooks(HandlerMethod method) {
    return Arrays.stream(method.getMethodParameters())
        .anyMatch(parameter -> parameter.hasParameterAnnotation(CountersignWebhook.class));
  }
}
