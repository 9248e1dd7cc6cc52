/** Browsers use the content type as it is sent, and never guess that a file or an answer is a page or a script. */
export const noSniffing = { "x-content-type-options": "nosniff" } as const;

/** The same for a response that already exists. */
export function withoutSniffing(response: Response): Response {
  for (const [name, value] of Object.entries(noSniffing)) response.headers.set(name, value);
  return response;
}

/** Server-sent events, of which a proxy must collect none. */
export const eventStreamHeaders = {
  "content-type": "text/event-stream; charset=utf-8",
  "cache-control": "no-store, no-transform",
  // nginx would otherwise collect events before it passes them on.
  "x-accel-buffering": "no",
} as const;

/**
 * A response whose content is a file in memory that the threads share. It is sent from there and never copied for a
 * request, so `body` is only for who reads a response instead of sending it.
 */
export class FileResponse extends Response {
  readonly content: Uint8Array;

  constructor(content: Uint8Array, init: ResponseInit) {
    const pull = (into: ReadableStreamDefaultController<Uint8Array>) => {
      into.enqueue(content);
      into.close();
    };
    super(new ReadableStream<Uint8Array>({ pull }, { highWaterMark: 0 }), init);
    this.content = content;
  }
}

/** How long a caller can get nothing before the connection is closed. */
const defaultSilentSeconds = 60;

/** A response that is generated while it is sent, each piece when the caller has taken the one before it. */
export class StreamedResponse extends Response {
  readonly silentSeconds: number;

  constructor(
    body: ReadableStream<Uint8Array>,
    init: ResponseInit,
    { silentSeconds = defaultSilentSeconds }: { readonly silentSeconds?: number } = {},
  ) {
    super(body, init);
    this.silentSeconds = silentSeconds;
  }
}
