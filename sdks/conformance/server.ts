import { createHmac, randomUUID } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { type Answer, type Signing, usual } from "./case.ts";
import { deliveryTwins } from "./deliveries.ts";
import { outcomeCases } from "./outcomes.ts";
import { type RealCase, startRealServer } from "./real.ts";
import { suiteFiles } from "./suite-files.ts";
import { twinOf } from "./twins.ts";

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

interface Seen {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

interface Known {
  readonly script: Script;
  readonly seen: Seen[];
  /** Where a real server answers: what there is on it, and from which answer on. */
  readonly real: RealCase | null;
  arranged: Answer | null;
  /** What a real server said to the first question. */
  firstSaid: string | null;
}

const cases = new Map<string, Known>();
const real = await startRealServer();
const files = suiteFiles();
const suite = {
  ...Object.fromEntries(files),
  ...Object.fromEntries(
    files.flatMap(([name, { cases: scripted = [] }]) => {
      const twins = scripted.flatMap((one) => twinOf(one) ?? []);
      return twins.length === 0 ? [] : [[`twins of ${name}`, { cases: twins }]];
    }),
  ),
  "twins of webhooks.json": {
    webhooks: await deliveryTwins(
      files.flatMap(([, { webhooks = [] }]) => webhooks),
      real.seller,
    ),
  },
  "outcomes of a real server": { cases: outcomeCases() },
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
  if (answer.after_ms !== undefined) await new Promise((resolve) => setTimeout(resolve, answer.after_ms));
  if (known.real !== null && isReal(answer)) return playReal(response, answer, known);
  play(response, answer, known.script.now, headers["x-countersign-nonce"] ?? "", body, known.seen.length);
});

async function armed(script: Script): Promise<object> {
  const id = randomUUID();
  const first = script.answers.find(({ real }) => real !== undefined) ?? null;
  const begun = first?.real === undefined ? null : await real.begin(first.real);
  cases.set(id, { script, seen: [], real: begun, arranged: first, firstSaid: null });
  const url = `http://127.0.0.1:${port()}/cases/${id}`;
  return begun === null ? { url } : { url, client: begun.client, now: begun.now };
}

/** Whether a real server is asked for it, and not something in front of it. */
function isReal({ real, fault, status, validate, json, text }: Answer): boolean {
  const isScripted = [status, validate, json, text].some((one) => one !== undefined);
  return real !== undefined || (fault === undefined && !isScripted);
}

async function playReal(response: ServerResponse, answer: Answer, known: Known): Promise<void> {
  if (answer.real !== undefined && answer !== known.arranged) {
    known.arranged = answer;
    await known.real?.become(answer.real);
  }
  const asked = known.seen.at(-1);
  if (asked === undefined) return;
  const { method, path, headers, body } = questionOf(asked, answer);
  const { host: _, connection: __, "content-length": ___, ...passed } = headers;
  const answered = await fetch(real.url + path, {
    method,
    headers: passed,
    ...(body === "" ? {} : { body }),
  });
  const said = await answered.text();
  known.firstSaid ??= said;
  const text = answer.replay === true ? known.firstSaid : said;
  if (answer.replace !== undefined && !text.includes(answer.replace[0]))
    return send(response, 599, { message: `The real answer has no ${answer.replace[0]} in it: ${text}` });
  const told = ["content-type", "x-request-id", "retry-after"].flatMap((name) => {
    const value = answered.headers.get(name);
    // Cases call the request by its number.
    return value === null ? [] : [[name, name === "x-request-id" ? `req-${known.seen.length}` : value]];
  });
  const content = answer.replace === undefined ? text : text.replace(...answer.replace);
  finish(response, answered.status, Object.fromEntries(told), content, answer.fault);
}

/** What is asked of the real server: what came, unless it is to be somebody else's question. */
function questionOf(asked: Seen, { asks_instead: instead = {} }: Answer): Seen {
  const { "x-countersign-nonce": sent, ...headers } = asked.headers;
  const nonce = instead.nonce ?? sent ?? "";
  const { license_key } = instead;
  return {
    ...asked,
    headers: { ...headers, ...(nonce === "" ? {} : { "x-countersign-nonce": nonce }) },
    body: license_key === undefined ? asked.body : JSON.stringify({ ...JSON.parse(asked.body), license_key }),
  };
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
  const headers = {
    "content-type": "application/json",
    "x-request-id": `req-${number}`,
    ...answer.headers,
  };
  finish(response, answer.status ?? 200, headers, contentOf(answer, now, nonce, asked), answer.fault);
}

/** Sends it, or half of it. */
function finish(
  response: ServerResponse,
  status: number,
  headers: Readonly<Record<string, string>>,
  content: string,
  fault: Answer["fault"],
): void {
  response.writeHead(status, { "content-length": String(Buffer.byteLength(content)), ...headers });
  if (fault === "cut_body") response.write(content.slice(0, content.length / 2), () => response.destroy());
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
