/** The `title` of a problem. The code says more. */
export const statusTitles: Readonly<Record<number, string>> = {
  400: "Bad request",
  401: "Not signed in",
  402: "Payment required",
  403: "Not allowed",
  404: "Not found",
  405: "Method not allowed",
  408: "Request timeout",
  409: "Conflict",
  412: "Changed since it was read",
  413: "Body too large",
  415: "Unsupported content type",
  422: "Invalid request",
  429: "Too many requests",
  500: "Internal error",
  502: "Bad gateway",
  503: "Temporarily unavailable",
};
