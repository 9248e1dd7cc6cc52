import { openRaw, type RawAnswer, type RawConnection } from "./raw-http.ts";

/** The outcome of a request. */
export type Sent =
  | { readonly tag: "answered"; readonly answer: RawAnswer; readonly ms: number }
  /** The server accepted no new connection, so it never saw the request. */
  | { readonly tag: "refused" }
  /** The connection closed before a response. `reused` if it had carried a response before. */
  | { readonly tag: "lost"; readonly reused: boolean; readonly ms: number };

/**
 * A caller with one connection, which it keeps as long as possible. It opens a new one after a response with
 * `Connection: close`, or when the connection was closed while idle.
 */
export class KeepAliveCaller {
  readonly #port: number;
  readonly #options: { readonly localAddress?: string };
  #connection: RawConnection | null = null;
  #isIdle = true;
  #reused = false;

  constructor(port: number, localAddress?: string | null) {
    this.#port = port;
    this.#options = localAddress ? { localAddress } : {};
  }

  async send(request: string, deadlineMs = 30_000): Promise<Sent> {
    const connection = this.#connection ?? (await this.#open().catch(() => null));
    if (connection === null) return { tag: "refused" };
    this.#isIdle = false;
    const startedMs = performance.now();
    connection.write(request);
    const answer = await connection.answer({ deadlineMs });
    const ms = performance.now() - startedMs;
    const reused = this.#reused;
    this.#isIdle = true;
    this.#reused = true;
    if (answer === null || answer.headers.get("connection") === "close") this.close();
    return answer === null ? { tag: "lost", reused, ms } : { tag: "answered", answer, ms };
  }

  close(): void {
    this.#connection?.close();
    this.#connection = null;
    this.#reused = false;
  }

  async #open(): Promise<RawConnection> {
    const connection = await openRaw(this.#port, this.#options);
    this.#connection = connection;
    void connection.closed.then(() => {
      if (this.#connection === connection && this.#isIdle) this.close();
    });
    return connection;
  }
}

/** The bytes of a validate request. */
export function validateRequest(apiKey: string, licenseKey: string): string {
  const body = JSON.stringify({ license_key: licenseKey });
  return `POST /api/v1/validate HTTP/1.1\r\nHost: test\r\nAuthorization: Bearer ${apiKey}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
}
