import { expect } from "bun:test";

/** A response that has been read. The body is parsed if it is JSON. */
export interface ReadAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into bodies of every shape.
  readonly body: any;
}

/**
 * Every response of the management, portal and sign-in APIs, downloads included, keeps browsers from guessing another type.
 * Server-sent events would not end, and are not read: `openEventStream` reads them.
 */
export async function readAnswer(response: Response): Promise<ReadAnswer> {
  const { status, headers } = response;
  expect(headers.get("x-content-type-options"), `${status} ${response.url}`).toBe("nosniff");
  const type = headers.get("content-type") ?? "";
  const isStream = type.startsWith("text/event-stream");
  if (isStream) await response.body?.cancel();
  const text = isStream ? "" : await response.text();
  return { status, headers, text, body: /[/+]json\b/.test(type) && text !== "" ? JSON.parse(text) : {} };
}
