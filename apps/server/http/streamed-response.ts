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
