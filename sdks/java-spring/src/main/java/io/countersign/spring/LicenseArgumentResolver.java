package io.countersign.spring;

import jakarta.servlet.http.HttpServletRequest;
import org.springframework.core.MethodParameter;
import org.springframework.web.bind.support.WebDataBinderFactory;
import org.springframework.web.context.request.NativeWebRequest;
import org.springframework.web.method.support.HandlerMethodArgumentResolver;
import org.springframework.web.method.support.ModelAndViewContainer;

/** Resolves parameters of type {@link License}. If no license was required, the controller decides. */
final class LicenseArgumentResolver implements HandlerMethodArgumentResolver {
  private final LicenseDecider licenses;

  LicenseArgumentResolver(LicenseDecider licenses) {
    this.licenses = licenses;
  }

  @Override
  public boolean supportsParameter(MethodParameter parameter) {
    return parameter.getParameterType() == License.class;
  }

  @Override
  public License resolveArgument(
      MethodParameter parameter, ModelAndViewContainer container, NativeWebRequest web, WebDataBinderFactory binders) {
    HttpServletRequest request = web.getNativeRequest(HttpServletRequest.class);
    return License.of(request).orElseGet(() -> licenses.decide(request, ""));
  }
}
