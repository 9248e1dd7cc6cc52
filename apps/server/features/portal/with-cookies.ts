/** A response of the API that also sets cookies. */
export function withCookies(
  status: 200 | 202 | 204,
  body: object | null,
  cookies: readonly string[],
): Response {
  const headers = new Headers({ "cache-control": "no-store" });
  if (body !== null) headers.set("content-type", "application/json; charset=utf-8");
  for (const cookie of cookies) headers.append("set-cookie", cookie);
  return new Response(body === null ? null : JSON.stringify(body), { status, headers });
}
