import { createHmac, randomUUID } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/**
 * Answers as a case of the conformance suite says, so that every SDK meets the same server. `POST /cases` with a case's
 * `now` and `answers` gives the base URL to use; `GET` on that URL's own path tells what was asked there so far.
 */
interface Script {
  readonly now: string;
  readonly answers: readonly Answer[];
}

interface Answer {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** A validate answer: these members, and the usual ones for the rest. */
  readonly validate?: Readonly<Record<string, unknown>>;
  readonly json?: unknown;
  readonly text?: string;
  readonly sign?: Signing;
  /** For those who are to ask at once: long enough that all of them have. */
  readonly after_ms?: number;
  /** Instead of an answer: the connection is cut before or within it, or nothing ever comes. */
  readonly fault?: "cut" | "cut_body" | "hang";
}

interface Signing {
  readonly secret: string;
  readonly product_id: string;
  readonly key_id?: string;
  readonly age_seconds?: number;
  /** Instead of what the client sent. */
  readonly nonce?: string;
  readonly license_key?: string;
  readonly purpose?: string;
  /** After signing, this text of the body becomes that. */
  readonly replace?: readonly [string, string];
}

interface Seen {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

const usual = {
  valid: true,
  status: "active",
  expires: null,
  ip_registered: false,
  ip_count: 1,
  max_ips: 3,
  version: null,
  version_valid: null,
  custom: null,
  signature: null,
};

const cases = new Map<string, { readonly script: Script; readonly seen: Seen[] }>();

const server = createServer(async (request, response) => {
  const body = await textOf(request);
  const [, first = "", id = "", ...rest] = (request.url ?? "").split("/");
  if (first === "cases" && id === "") {
    const made = randomUUID();
    cases.set(made, { script: JSON.parse(body), seen: [] });
    return send(response, 201, { url: `http://127.0.0.1:${port()}/cases/${made}` });
  }
  const known = cases.get(id);
  if (first !== "cases" || known === undefined) return send(response, 404, {});
  if (rest.length === 0) return send(response, 200, { requests: known.seen });
  const headers = Object.fromEntries(
    Object.entries(request.headers).map(([name, value]) => [name, String(value)]),
  );
  known.seen.push({ method: request.method ?? "", path: `/${rest.join("/")}`, headers, body });
  const { answers } = known.script;
  const answer = answers[Math.min(known.seen.length, answers.length) - 1];
  if (answer === undefined) return send(response, 500, { message: "The case has no answer for this." });
  const number = known.seen.length;
  if (answer.after_ms !== undefined) await new Promise((resolve) => setTimeout(resolve, answer.after_ms));
  play(response, answer, known.script.now, headers["x-countersign-nonce"] ?? "", body, number);
});

function play(
  response: ServerResponse,
  answer: Answer,
  now: string,
  nonce: string,
  asked: string,
  number: number,
) {
  if (answer.fault === "hang") return;
  if (answer.fault === "cut") {
    response.destroy();
    return;
  }
  const content = contentOf(answer, now, nonce, asked);
  response.writeHead(answer.status ?? 200, {
    "content-type": "application/json",
    "x-request-id": `req-${number}`,
    "content-length": String(Buffer.byteLength(content)),
    ...answer.headers,
  });
  if (answer.fault === "cut_body")
    response.write(content.slice(0, content.length / 2), () => response.destroy());
  else response.end(content);
}

function contentOf(answer: Answer, now: string, nonce: string, asked: string): string {
  if (answer.text !== undefined) return answer.text;
  if (answer.json !== undefined) return JSON.stringify(answer.json);
  const unsigned = JSON.stringify({ ...usual, ...answer.validate });
  return answer.sign === undefined ? unsigned : signed(unsigned, answer.sign, now, nonce, asked);
}

function signed(unsigned: string, signing: Signing, now: string, sentNonce: string, asked: string): string {
  const time = Math.floor(new Date(now).getTime() / 1_000) - (signing.age_seconds ?? 0);
  const nonce = signing.nonce ?? sentNonce;
  const licenseKey = signing.license_key ?? JSON.parse(asked).license_key;
  const purpose = signing.purpose ?? "countersign.validate.v1";
  const text = [purpose, time, nonce, signing.product_id, licenseKey, unsigned].join("\n");
  const code = createHmac("sha256", Buffer.from(signing.secret, "hex")).update(text).digest("hex");
  const signature = `"t=${time},n=${nonce},k=${signing.key_id ?? "k1"},v1=${code}"}`;
  const body = unsigned.slice(0, -"null}".length) + signature;
  return signing.replace === undefined ? body : body.replace(...signing.replace);
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
// Ends with whoever started it.
process.stdin.on("end", () => process.exit(0)).resume();
