import { createHmac, randomUUID } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { gzipSync } from "node:zlib";
import type { Signing } from "./case.ts";
import { type Answer, defaultMembers, refusals, suiteFiles } from "./case.ts";
import { liveDeliveries } from "./live-deliveries.ts";
import { liveVariantOf } from "./live-variants.ts";
import { outcomeCases, sandboxCases } from "./outcomes.ts";
import { type RealCase, startRealServer } from "./real.ts";

/**
 * Responds as a case of the conformance suite says, so that every SDK is tested against the same server. For real
 * answers it forwards requests to a real Countersign, and can modify the response.
 *
 * - `GET /suite` returns all cases, by file name.
 * - `POST /cases` with a case's `now` and `answers` returns the base URL to use; for real answers also the client's
 *   settings and its time.
 * - `GET` on that base URL returns the requests received so far.
 */
interface Script {
  readonly now: string;
  readonly answers: readonly Answer[];
}

interface ReceivedRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

interface StartedCase {
  readonly script: Script;
  readonly requests: ReceivedRequest[];
  /** Null if no real server is needed. */
  readonly real: RealCase | null;
  /** The answer whose setup the real server has. */
  currentSetup: Answer | null;
  /** The body of the real server's first response. */
  firstBody: string | null;
  /** Answers that wait for more requests. */
  readonly waiting: Set<() => void>;
  /** The last answer of the real server: a setup and its response belong together. */
  lastRealAnswer: Promise<void>;
}

/** The headers of a real response that are passed on. */
const passedHeaders = [
  "content-type",
  "x-request-id",
  "retry-after",
  "ratelimit",
  "ratelimit-policy",
  "x-countersign-problem",
  "x-countersign-sandbox",
];

const cases = new Map<string, StartedCase>();
const real = await startRealServer();
const files = suiteFiles();
const suite = {
  ...Object.fromEntries(files),
  ...Object.fromEntries(
    files.flatMap(([name, { cases: scripted = [] }]) => {
      const variants = scripted.flatMap((one) => liveVariantOf(one) ?? []);
      return variants.length === 0 ? [] : [[`live variants of ${name}`, { cases: variants }]];
    }),
  ),
  "live variants of webhooks.json": {
    webhooks: await liveDeliveries(
      files.flatMap(([, { webhooks = [] }]) => webhooks),
      real.seller,
    ),
  },
  "outcomes of a real server": { cases: [...outcomeCases(), ...sandboxCases()] },
};

const server = createServer(async (request, response) => {
  // One connection per request: some runtimes automatically retry if a reused connection is cut.
  response.setHeader("connection", "close");
  const body = await textOf(request);
  const [, first = "", id = "", ...rest] = (request.url ?? "").split("/");
  if (first === "suite") return send(response, 200, suite);
  if (first === "cases" && id === "") return send(response, 201, await startCase(JSON.parse(body)));
  const known = cases.get(id);
  if (first !== "cases" || known === undefined) return send(response, 404, {});
  if (rest.length === 0) return send(response, 200, { requests: known.requests });
  const headers = Object.fromEntries(
    Object.entries(request.headers).map(([name, value]) => [name, String(value)]),
  );
  known.requests.push({ method: request.method ?? "", path: `/${rest.join("/")}`, headers, body });
  const number = known.requests.length;
  for (const resume of known.waiting) resume();
  const { answers } = known.script;
  const answer = answers[Math.min(number, answers.length) - 1];
  if (answer === undefined)
    return send(response, 500, { message: "The case has no answer for this request." });
  if (answer.after_ms !== undefined) await new Promise((resolve) => setTimeout(resolve, answer.after_ms));
  if (answer.after_requests !== undefined) await untilReceived(known, answer.after_requests);
  if (answer.early_hints === true) response.writeEarlyHints({ link: "</style.css>; rel=preload" });
  if (known.real !== null && isReal(answer)) {
    const respond = () => respondFromRealServer(response, answer, known, number);
    known.lastRealAnswer = known.lastRealAnswer
      .then(respond)
      .catch((error) => send(response, 599, { message: String(error) }));
    return known.lastRealAnswer;
  }
  if (answer.fault === "echo") return sendBack(response, known.requests[number - 1]);
  respondFromScript(response, answer, known.script.now, headers["x-countersign-nonce"] ?? "", body, number);
});

async function startCase(script: Script): Promise<object> {
  const id = randomUUID();
  const first = script.answers.find(({ real }) => real !== undefined) ?? null;
  const started = first?.real === undefined ? null : await real.startCase(first.real);
  cases.set(id, {
    script,
    requests: [],
    real: started,
    currentSetup: first,
    firstBody: null,
    waiting: new Set(),
    lastRealAnswer: Promise.resolve(),
  });
  const url = `http://127.0.0.1:${port()}/cases/${id}`;
  return started === null ? { url } : { url, client: started.client, now: started.now };
}

function untilReceived({ requests, waiting }: StartedCase, count: number): Promise<void> {
  return new Promise((resolve) => {
    const check = () => {
      if (requests.length < count) return;
      waiting.delete(check);
      resolve();
    };
    waiting.add(check);
    check();
  });
}

/** Whether the request is forwarded to the real server. */
function isReal({ real, fault, status, validate, json, text }: Answer): boolean {
  const isScripted = [status, validate, json, text].some((one) => one !== undefined);
  return real !== undefined || (fault === undefined && !isScripted);
}

async function respondFromRealServer(
  response: ServerResponse,
  answer: Answer,
  known: StartedCase,
  number: number,
): Promise<void> {
  if (answer.real !== undefined && answer !== known.currentSetup) {
    known.currentSetup = answer;
    await known.real?.change(answer.real);
  }
  const received = known.requests[number - 1];
  if (received === undefined) return;
  const { method, path, headers, body } = forwardedRequest(received, answer);
  const { host: _, connection: __, "content-length": ___, ...passed } = headers;
  const realResponse = await fetch((known.real?.url ?? real.url) + path, {
    method,
    headers: passed,
    ...(body === "" ? {} : { body }),
  });
  const realBody = await realResponse.text();
  known.firstBody ??= realBody;
  const text = answer.replay === true ? known.firstBody : realBody;
  if (answer.replace !== undefined && !text.includes(answer.replace[0]))
    return send(response, 599, {
      message: `The real response does not contain ${answer.replace[0]}: ${text}`,
    });
  const responseHeaders = passedHeaders.flatMap((name) => {
    const value = realResponse.headers.get(name);
    // Cases expect numbered request IDs.
    return value === null ? [] : [[name, name === "x-request-id" ? `req-${number}` : value]];
  });
  const content = answer.replace === undefined ? text : text.replace(...answer.replace);
  sendBody(response, realResponse.status, Object.fromEntries(responseHeaders), content, answer);
}

/** The request for the real server: as received, except for the values that the answer replaces. */
function forwardedRequest(
  received: ReceivedRequest,
  { send_instead: instead = {} }: Answer,
): ReceivedRequest {
  const { "x-countersign-nonce": sent, ...headers } = received.headers;
  const nonce = instead.nonce ?? sent ?? "";
  const { license_key } = instead;
  return {
    ...received,
    headers: { ...headers, ...(nonce === "" ? {} : { "x-countersign-nonce": nonce }) },
    body:
      license_key === undefined
        ? received.body
        : JSON.stringify({ ...JSON.parse(received.body), license_key }),
  };
}

function respondFromScript(
  response: ServerResponse,
  answer: Answer,
  now: string,
  nonce: string,
  requestBody: string,
  number: number,
) {
  if (answer.fault === "hang") return;
  if (answer.fault === "cut") {
    response.destroy();
    return;
  }
  const headers = { "content-type": "application/json", "x-request-id": `req-${number}`, ...answer.headers };
  sendBody(response, answer.status ?? 200, headers, contentOf(answer, now, nonce, requestBody), answer);
}

/** Responds as a server of another protocol does: with the bytes that it received. */
function sendBack({ socket }: ServerResponse, received: ReceivedRequest | undefined): void {
  const lines = Object.entries(received?.headers ?? {}).map(([name, value]) => `${name}: ${value}`);
  const first = `${received?.method} ${received?.path} HTTP/1.1`;
  socket?.end(`${[first, ...lines, "", received?.body].join("\r\n")}`);
}

/** Sends the whole body, or half of it if the answer cuts the connection. */
function sendBody(
  response: ServerResponse,
  status: number,
  headers: Readonly<Record<string, string>>,
  content: string,
  { fault, gzip, body_bytes: bytes = 0 }: Answer,
): void {
  const text = content + " ".repeat(Math.max(0, bytes - Buffer.byteLength(content)));
  const body = gzip === true ? gzipSync(text) : Buffer.from(text);
  // A case that has no Date header means a response without one.
  response.sendDate = false;
  response.writeHead(status, {
    "content-length": String(body.length),
    ...(gzip === true ? { "content-encoding": "gzip" } : {}),
    ...headers,
  });
  if (fault === "cut_body") response.write(body.subarray(0, body.length / 2), () => response.destroy());
  else response.end(body);
}

function contentOf(answer: Answer, now: string, nonce: string, requestBody: string): string {
  if (answer.text !== undefined) return answer.text;
  const json = answer.json ?? refusals[answer.status ?? 200];
  if (json !== undefined) return JSON.stringify(json);
  const flat = JSON.stringify({ ...defaultMembers, ...answer.validate });
  // As text: some levels are more than this program's own JSON can write.
  const unsigned = flat.replace('"custom":null', `"custom":${nestedJson(answer.custom_levels ?? 0)}`);
  return answer.sign === undefined ? unsigned : signed(unsigned, answer.sign, now, nonce, requestBody);
}

function nestedJson(levels: number): string {
  if (levels === 0) return "null";
  return `{"levels":${"[".repeat(levels - 1)}${"]".repeat(levels - 1)}}`;
}

async function textOf(request: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part);
  return Buffer.concat(parts).toString();
}

function send(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
}

function port(): number {
  return (server.address() as AddressInfo).port;
}

server.listen(0, "127.0.0.1", () => process.stdout.write(`http://127.0.0.1:${port()}\n`));
// Exits when the process that started it closes the input.
process.stdin.on("end", () => void real.close().finally(() => process.exit(0))).resume();

/** A validate response with the signature that the case describes. */
function signed(
  unsigned: string,
  signing: Signing,
  now: string,
  sentNonce: string,
  requestBody: string,
): string {
  const time = Math.floor(new Date(now).getTime() / 1_000) - (signing.age_seconds ?? 0);
  const nonce = signing.nonce ?? sentNonce;
  const licenseKey = signing.license_key ?? JSON.parse(requestBody).license_key;
  const purpose = signing.purpose ?? "countersign.validate.v1";
  const text = [purpose, time, nonce, signing.product_id, licenseKey, unsigned].join("\n");
  const code = createHmac("sha256", Buffer.from(signing.secret, "hex")).update(text).digest("hex");
  const signature = `"t=${time},n=${nonce},k=${signing.key_id ?? "k1"},v1=${code}"}`;
  const body = unsigned.slice(0, -"null}".length) + signature;
  return signing.replace === undefined ? body : body.replace(...signing.replace);
}
