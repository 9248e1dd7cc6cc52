package io.countersign.spring;

import io.countersign.WebhookEvent;
import io.countersign.WebhookException;
import io.countersign.Webhooks;
import jakarta.servlet.http.HttpServletRequest;
import java.io.IOException;
import org.springframework.core.MethodParameter;
import org.springframework.web.bind.support.WebDataBinderFactory;
import org.springframework.web.context.request.NativeWebRequest;
import org.springframework.web.method.support.HandlerMethodArgumentResolver;
import org.springframework.web.method.support.ModelAndViewContainer;

/** Resolves parameters with {@link CountersignWebhook}: reads the raw body and verifies its signature. */
final class WebhookArgumentResolver implements HandlerMethodArgumentResolver {
  /** Larger than any event. */
  private static final int MAX_BYTES = 256 * 1024;

  private final Webhooks webhooks;

  /** The secret is null if the app receives no webhooks. */
  WebhookArgumentResolver(String secret) {
    webhooks = secret == null || secret.isBlank() ? null : Webhooks.with(secret);
  }

  @Override
  public boolean supportsParameter(MethodParameter parameter) {
    return parameter.hasParameterAnnotation(CountersignWebhook.class);
  }

  @Override
  public WebhookEvent resolveArgument(
      MethodParameter parameter, ModelAndViewContainer container, NativeWebRequest web, WebDataBinderFactory binders)
      throws IOException {
    if (parameter.getParameterType() != WebhookEvent.class)
      throw new IllegalStateException("@CountersignWebhook requires a parameter of type io.countersign.WebhookEvent.");
    if (webhooks == null)
      throw new IllegalStateException("@CountersignWebhook requires the property countersign.webhook-secret.");
    HttpServletRequest request = web.getNativeRequest(HttpServletRequest.class);
    // An anonymous caller must not fill the memory.
    byte[] body = request.getInputStream().readNBytes(MAX_BYTES + 1);
    if (body.length > MAX_BYTES)
      throw new WebhookRefusedException(413, "too_large", "A delivery has at most " + MAX_BYTES + " bytes.", null);
    if (body.length == 0 && request.getContentLengthLong() > 0)
      // A bug in the app, which should be visible as one.
      throw new WebhookRefusedException(
          500, "parsed_body", "The body was read before its signature was checked, by a filter or a parameter.", null);
    try {
      return webhooks.verify(body, request::getHeader);
    } catch (WebhookException refused) {
      throw new WebhookRefusedException(400, refused.reason(), refused.getMessage(), refused);
    }
  }
}
