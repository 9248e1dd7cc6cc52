/** An answer that is JSON already. */
export function jsonText(text: string): Response {
  return new Response(text, {
    headers: { "content-type": "application/json; charset=utf-8", "cache-control": "no-store" },
  });
}
