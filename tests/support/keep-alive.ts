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
  readonly #localAddress: string | null;
  #connection: RawConnection | null = null;
  #reused = false;

  constructor(port: number, localAddress: string | null = null) {
    this.#port = port;
    this.#localAddress = localAddress;
  }

  async send(request: string, deadlineMs = 30_000): Promise<Sent> {
    const connection = this.#connection ?? (await this.#open());
    if (connection === null) return { tag: "refused" };
    const startedMs = performance.now();
    connection.write(request);
    const answer = await connection.answer({ deadlineMs });
    const ms = performance.now() - startedMs;
    if (answer === null) {
      const lost = { tag: "lost", reused: this.#reused, ms } as const;
      this.close();
      return lost;
    }
    this.#reused = true;
    if (answer.headers.get("connection") === "close") this.close();
    return { tag: "answered", answer, ms };
  }

  close(): void {
    this.#connection?.close();
    this.#connection = null;
    this.#reused = false;
  }

  async #open(): Promise<RawConnection | null> {
    try {
      const localAddress = this.#localAddress;
      const connection = await openRaw(this.#port, localAddress === null ? {} : { localAddress });
      this.#connection = connection;
      void connection.closed.then(() => {
        if (this.#connection === connection && connection.idle()) this.close();
      });
      return connection;
    } catch {
      return null;
    }
  }
}

/** The bytes of a validate request. */
export function validateRequest(apiKey: string, licenseKey: string): string {
  const body = JSON.stringify({ license_key: licenseKey });
  return `POST /api/v1/validate HTTP/1.1\r\nHost: test\r\nAuthorization: Bearer ${apiKey}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
}
