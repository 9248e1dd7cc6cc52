import { manageBase } from "@countersign/contract/api/bases";
import { Arrivals } from "./arrivals.ts";

export interface StreamedEvent {
  readonly event: string;
  readonly id: string | null;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into bodies of every shape.
  readonly data: any;
}

export type EventStream = Awaited<ReturnType<typeof openEventStream>>;

/** Server-sent events as a browser receives them. */
export async function openEventStream(
  url: string,
  token: string,
  path: string,
  lastEventId: string | null = null,
) {
  const abort = new AbortController();
  const authorization = `Bearer ${token}`;
  const headers = lastEventId === null ? { authorization } : { authorization, "last-event-id": lastEventId };
  const response = await fetch(url + manageBase + path, { headers, signal: abort.signal });
  const events = new Arrivals<StreamedEvent>();
  const read = async () => {
    let text = "";
    for await (const part of (response.body ?? new ReadableStream()).pipeThrough(new TextDecoderStream())) {
      const blocks = (text + part).split("\n\n");
      text = blocks.pop() ?? "";
      events.add(...blocks.flatMap((block) => eventOf(block) ?? []));
    }
  };
  const ended = read().then(
    () => "complete" as const,
    () => "cut" as const,
  );
  return {
    status: response.status,
    headers: response.headers,
    events: events.all,
    /** How it ends. */
    ended,
    /** Waits for an event. */
    event: (what: string, is: (event: StreamedEvent) => boolean) => events.first(what, is),
    close: () => abort.abort(),
  };
}

/** Null for a comment. */
function eventOf(block: string): StreamedEvent | null {
  const fields = new Map(block.split("\n").map((line) => line.split(/: (.*)/s, 2) as [string, string]));
  const data = fields.get("data");
  if (data === undefined) return null;
  return { event: fields.get("event") ?? "message", id: fields.get("id") ?? null, data: JSON.parse(data) };
}
