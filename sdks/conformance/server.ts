import { createHmac, randomUUID } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { type Arrangement, deliveryCases, outcomeCases, startRealServer } from "./real.ts";

/**
 * Answers as a case of the conformance suite says, so that every SDK meets the same server. Where a case wants real
 * answers it passes questions on to a real Countersign, and may still do something to what comes back.
 *
 * - `GET /suite` is every case there is, by the name of its file;
 * - `POST /cases` with a case's `now` and `answers` gives the base URL to use; for real answers also what the client
 *   has to be made with, and the time it is;
 * - `GET` on that base URL tells what was asked there so far.
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
  /** What a real server answers; said once, it holds for the answers that follow too. */
  readonly real?: Arrangement;
  /** Of a real answer, this text of the body becomes that. */
  readonly replace?: readonly [string, string];
  /** In place of what the real server says, what it said to the first question. */
  readonly replay?: boolean;
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

interface Known {
  readonly script: Script;
  readonly seen: Seen[];
  /** What a real server said to the first question. */
  firstSaid: string | null;
}

const cases = new Map<string, Known>();
const real = await startRealServer();
const suite = {
  ...Object.fromEntries(
    readdirSync(import.meta.dir)
      .filter((name) => name.endsWith(".json"))
      .map((name) => [name, JSON.parse(readFileSync(join(import.meta.dir, name), "utf8"))]),
  ),
  "outcomes of a real server": { cases: outcomeCases() },
  "deliveries of a real server": { webhooks: await deliveryCases() },
};

const server = createServer(async (request, response) => {
  // A connection for each: some runtimes ask again by themselves when one that they had kept is cut.
  response.setHeader("connection", "close");
  const body = await textOf(request);
  const [, first = "", id = "", ...rest] = (request.url ?? "").split("/");
  if (first === "suite") return send(response, 200, suite);
  if (first === "cases" && id === "") return send(response, 201, await armed(JSON.parse(body)));
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
  if (answers.some((one) => one.real !== undefined) && answer.fault === undefined)
    return playReal(response, answer, known, headers, body);
  play(response, answer, known.script.now, headers["x-countersign-nonce"] ?? "", body, number);
});

async function armed(script: Script): Promise<object> {
  const id = randomUUID();
  cases.set(id, { script, seen: [], firstSaid: null });
  const url = `http://127.0.0.1:${port()}/cases/${id}`;
  const arrangement = script.answers.find((answer) => answer.real !== undefined)?.real;
  if (arrangement === undefined) return { url };
  return { url, client: await real.arrange(arrangement), now: new Date().toISOString() };
}

async function playReal(
  response: ServerResponse,
  answer: Answer,
  known: Known,
  headers: Readonly<Record<string, string>>,
  body: string,
): Promise<void> {
  const asked = known.seen.at(-1);
  const { host: _, connection: __, "content-length": ___, ...passed } = headers;
  const answered = await fetch(real.url + asked?.path, {
    method: asked?.method ?? "GET",
    headers: passed,
    ...(body === "" ? {} : { body }),
  });
  const said = await answered.text();
  known.firstSaid ??= said;
  const text = answer.replay === true ? known.firstSaid : said;
  const told = ["content-type", "x-request-id", "retry-after"].flatMap((name) => {
    const value = answered.headers.get(name);
    return value === null ? [] : [[name, value]];
  });
  response.writeHead(answered.status, Object.fromEntries(told));
  response.end(answer.replace === undefined ? text : text.replace(...answer.replace));
}

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
process.stdin.on("end", () => void real.close().finally(() => process.exit(0))).resume();
