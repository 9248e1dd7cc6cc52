import { textOf } from "./bytes.ts";
import { AuthenticationError, type CountersignError, SandboxError, ServerError } from "./errors.ts";
import { parsed } from "./json.ts";
import type { Settings } from "./options.ts";
import { RateLimitGate } from "./rate-limit-gate.ts";
import { type Redact, redactor } from "./redaction.ts";
import type { Reporter } from "./reporter.ts";
import { type ApiResponse, detailsOf, isFromSandbox, isRefusal, retryAfterOf } from "./response.ts";
import { clamped } from "./retry-after.ts";
import { type ApiRequest, type Delivery, send, type Transport } from "./transport.ts";
import { sdkVersion } from "./version.ts";

const testKeyPrefix = "cskt_";

/** Sends requests with the product's API key, and turns responses that no request expects into errors. */
export class Api {
  readonly #settings: Settings;
  readonly #transport: Transport;
  readonly #gate: RateLimitGate;
  /** For the User-Agent header: this package, and those that use it. */
  readonly #products = new Set([`countersign-node/${sdkVersion}`]);

  constructor(settings: Settings, reporter: Reporter) {
    this.#settings = settings;
    this.#transport = { ...settings, reporter };
    this.#gate = new RateLimitGate(settings.clock);
  }

  /** The headers of every request. */
  headers(): Record<string, string> {
    const { apiKey, userAgent } = this.#settings;
    return {
      authorization: `Bearer ${apiKey}`,
      accept: "application/json",
      "user-agent": [...this.#products, ...(userAgent === null ? [] : [userAgent])].join(" "),
    };
  }

  addUserAgent(product: string): void {
    this.#products.add(product);
  }

  /** Any response except a Countersign's 401 and 429, and those of a sandbox that is not allowed. */
  async send(request: ApiRequest, licenseKey: string, delivery: Delivery): Promise<ApiResponse> {
    const { allowSandbox, apiKey } = this.#settings;
    if (!allowSandbox && apiKey.startsWith(testKeyPrefix))
      throw new SandboxError("The API key is a test API key, which is not allowed here.");
    this.#gate.check();
    const redact = this.#redactFor(licenseKey);
    const response = await send(request, this.#transport, delivery, redact);
    const error = this.#refusal(response, redact);
    if (error !== null) throw error;
    return response;
  }

  /** For a response that the caller cannot use. */
  unusable(response: ApiResponse, licenseKey: string): ServerError {
    const { status } = response;
    const redirect = status === 0 ? "a redirect, which is not followed" : `HTTP ${status}`;
    return new ServerError(
      `The server sent an unusable response (${redirect}).${hintFor(status)}`,
      status,
      retryAfterOf(response, this.#settings.clock.wallMs()),
      this.details(response, licenseKey),
    );
  }

  /** What an error shows of a response. */
  details(response: ApiResponse, licenseKey: string) {
    return detailsOf(response, this.#redactFor(licenseKey));
  }

  #refusal(response: ApiResponse, redact: Redact): CountersignError | null {
    const isSandbox = isFromSandbox(response);
    if (isSandbox && !this.#settings.allowSandbox)
      return new SandboxError(
        "The response is from the sandbox, so it grants nothing.",
        detailsOf(response, redact),
      );
    if (!isRefusal(response)) return null;
    if (response.status === 401)
      return new AuthenticationError(
        "The server rejected the API key. Check that it is complete, belongs to this product and has not been rotated.",
        detailsOf(response, redact),
      );
    const seconds = this.#limitSeconds(response);
    // The sandbox has no limit: other calls can continue.
    if (!isSandbox) this.#gate.close(seconds, response.requestId);
    return this.#gate.error(seconds, detailsOf(response, redact));
  }

  /** A minute if the server gives no time. */
  #limitSeconds(response: ApiResponse): number {
    const inHeader = retryAfterOf(response, this.#settings.clock.wallMs());
    if (inHeader !== null) return inHeader;
    const inBody = parsed(textOf(response.body))?.retry_after;
    return typeof inBody === "number" && inBody > 0 ? clamped(Math.ceil(inBody)) : 60;
  }

  #redactFor(licenseKey: string): Redact {
    return redactor(this.#settings.apiKey, licenseKey);
  }
}

function hintFor(status: number): string {
  if (status === 404 || status < 400) return " Check that baseUrl is the URL of a Countersign server.";
  if (status !== 401 && status !== 429) return "";
  return " It is not from Countersign: check the proxies and firewalls between this app and the server.";
}
