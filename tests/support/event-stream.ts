import { manageBase } from "@countersign/contract/manage/base";
import { until } from "./until.ts";

export interface StreamedEvent {
  readonly event: string;
  readonly id: string | null;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into bodies of every shape.
  readonly data: any;
}

/** Server-sent events as a browser receives them. */
export interface EventStream {
  readonly status: number;
  readonly headers: Headers;
  readonly events: readonly StreamedEvent[];
  /** How it ended; null if it has not. */
  readonly end: "complete" | "cut" | null;
  /** Waits for an event. */
  event(what: string, is: (event: StreamedEvent) => boolean): Promise<StreamedEvent>;
  close(): void;
}

export async function openEventStream(
  url: string,
  token: string,
  path: string,
  lastEventId: string | null = null,
): Promise<EventStream> {
  const abort = new AbortController();
  const response = await fetch(url + manageBase + path, {
    headers: {
      authorization: `Bearer ${token}`,
      ...(lastEventId === null ? {} : { "last-event-id": lastEventId }),
    },
    signal: abort.signal,
  });
  const events: StreamedEvent[] = [];
  let end: EventStream["end"] = null;
  const read = async () => {
    let text = "";
    for await (const part of (response.body ?? new ReadableStream()).pipeThrough(new TextDecoderStream())) {
      const blocks = (text + part).split("\n\n");
      text = blocks.pop() ?? "";
      events.push(...blocks.flatMap((block) => eventOf(block) ?? []));
    }
  };
  read().then(
    () => {
      end = "complete";
    },
    () => {
      end = "cut";
    },
  );
  return {
    status: response.status,
    headers: response.headers,
    events,
    get end() {
      return end;
    },
    event: async (what, is) => {
      await until(what, () => events.some(is));
      return events.find(is) as StreamedEvent;
    },
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
