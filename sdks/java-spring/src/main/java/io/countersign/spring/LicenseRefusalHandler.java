package io.countersign.spring;

import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;

/** Responds to a request that is not let in. A bean of this type replaces the JSON response. */
@FunctionalInterface
public interface LicenseRefusalHandler {
  /** The request ends with this response. */
  void handle(Refusal refusal, HttpServletRequest request, HttpServletResponse response) throws IOException;
}
