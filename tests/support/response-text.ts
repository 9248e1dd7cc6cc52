/** Server-sent events would not end: `openEventStream` reads them. */
export async function textOf(response: Response): Promise<string> {
  if (!response.headers.get("content-type")?.startsWith("text/event-stream")) return response.text();
  await response.body?.cancel();
  return "";
}
