/**
 * An email as a page. It contains untrusted text, on the origin where people are signed in: even if some of it were
 * markup, it could not run, fetch, send or frame anything.
 */
export function shownEmail(html: string): Response {
  return new Response(html, { headers: { ...headers, "content-type": "text/html; charset=utf-8" } });
}

export function shownText(text: string): Response {
  return new Response(text, { headers: { ...headers, "content-type": "text/plain; charset=utf-8" } });
}

const headers = {
  "content-security-policy": [
    "default-src 'none'",
    "style-src 'unsafe-inline'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'self'",
    "sandbox allow-popups",
  ].join("; "),
  "cache-control": "no-store",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
};
