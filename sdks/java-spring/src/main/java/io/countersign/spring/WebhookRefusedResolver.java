package io.countersign.spring;

import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.LinkedHashMap;
import java.util.Map;
import org.springframework.core.Ordered;
import org.springframework.web.servlet.HandlerExceptionResolver;
import org.springframework.web.servlet.ModelAndView;

/** Responds to requests that are not deliveries. It runs after the exception handlers of the app. */
final class WebhookRefusedResolver implements HandlerExceptionResolver, Ordered {
  @Override
  public ModelAndView resolveException(
      HttpServletRequest request, HttpServletResponse response, Object handler, Exception exception) {
    if (!(exception instanceof WebhookRefusedException refused)) return null;
    Map<String, Object> body = new LinkedHashMap<>();
    body.put("error", refused.reason());
    body.put("message", refused.getMessage());
    try {
      JsonResponse.write(response, refused.status(), body);
    } catch (IOException gone) {
      throw new UncheckedIOException(gone);
    }
    return new ModelAndView();
  }

  @Override
  public int getOrder() {
    return Ordered.LOWEST_PRECEDENCE;
  }
}
