import { randomBytes } from "node:crypto";
import { manageBase } from "@countersign/contract/api/bases";
import { isEventType } from "@countersign/domain/events/types";
import { generateWebhookSecret, webhookKey, webhookSignature } from "@countersign/domain/webhooks/signature";
import type { Environment } from "../base/environment.ts";
import { reasonOf } from "../base/log.ts";
import { OperatorProblem } from "../base/operator-problem.ts";
import { printJson, printLines, readOptions, required } from "./command.ts";

const waitSeconds = 20;
const afterTroubleMs = 2_000;
const answerTimeoutMs = 15_000;

interface Followed {
  readonly id: string;
  readonly type: string;
  readonly timestamp: string;
  readonly data: object;
}

/** `countersign events listen`: follows an organization's events and forwards each one, newly signed. */
export async function listen(args: readonly string[], environment: Environment): Promise<number> {
  const options = readListenOptions(args, environment);
  const key = webhookKey(options.secret);
  if (key === null)
    throw new OperatorProblem("--secret must be whsec_ followed by 24 to 64 bytes in base64.");
  let after = await latest(options);
  if (!options.json)
    printLines([
      `Listening. Forwarding events to ${options.forward}`,
      `Signing secret: ${options.secret}`,
      "Press Ctrl-C to stop.",
    ]);
  for (let passed = 0; passed < options.count; ) {
    let page: { data: Followed[]; after: string | null };
    try {
      page = await ask(
        options,
        `order=oldest&wait_seconds=${waitSeconds}${after === null ? "" : `&after=${after}`}`,
      );
    } catch (error) {
      // The server is restarting, or the network is down. No event is lost: they stay on the server.
      if (error instanceof OperatorProblem) throw error;
      process.stderr.write(`Cannot reach the server (${reasonOf(error)}). Retrying.\n`);
      await new Promise((resolve) => setTimeout(resolve, afterTroubleMs));
      continue;
    }
    for (const event of page.data) {
      if (options.types.length > 0 && !options.types.includes(event.type)) continue;
      await passOn(options, key, event);
      passed += 1;
      if (passed === options.count) break;
    }
    after = page.after ?? after;
  }
  return 0;
}

interface ListenOptions {
  readonly forward: string;
  readonly list: string;
  readonly token: string;
  readonly secret: string;
  readonly types: readonly string[];
  readonly count: number;
  readonly json: boolean;
}

function readListenOptions(args: readonly string[], environment: Environment): ListenOptions {
  const { values } = readOptions("events", args, {
    forward: { type: "string" },
    organization: { type: "string" },
    url: { type: "string" },
    token: { type: "string" },
    type: { type: "string", multiple: true },
    secret: { type: "string" },
    count: { type: "string" },
    json: { type: "boolean" },
  });
  const server = address("url", values.url ?? environment.COUNTERSIGN_URL ?? "http://127.0.0.1:3000");
  const organizationId = required("events", "organization", values.organization);
  const wrong = values.type?.find((type) => !isEventType(type));
  if (wrong !== undefined) throw new OperatorProblem(`Unknown event type: ${wrong}.`);
  const count = values.count === undefined ? Number.POSITIVE_INFINITY : Number(values.count);
  if (!(count >= 1)) throw new OperatorProblem("--count must be a number, 1 or more.");
  return {
    forward: address("forward", required("events", "forward", values.forward)),
    list: `${server.replace(/\/$/, "")}${manageBase}/organizations/${encodeURIComponent(organizationId)}/events`,
    token: required("events", "token", values.token ?? environment.COUNTERSIGN_TOKEN),
    secret: values.secret ?? generateWebhookSecret(randomBytes),
    types: values.type ?? [],
    count,
    json: values.json === true,
  };
}

function address(name: string, text: string): string {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url?.protocol === "http:" || url?.protocol === "https:") return url.href;
  throw new OperatorProblem(`--${name} is "${text}". It must be a URL such as http://localhost:4000/.`);
}

/** Following starts after the newest existing event. */
async function latest(options: ListenOptions): Promise<string | null> {
  const newest = await ask(options, "order=newest&limit=1");
  return newest.data[0]?.id ?? null;
}

async function ask(
  { list, token }: ListenOptions,
  query: string,
): Promise<{ data: Followed[]; after: string | null }> {
  const answer = await fetch(`${list}?${query}`, {
    headers: { authorization: `Bearer ${token}`, accept: "application/json" },
    signal: AbortSignal.timeout((waitSeconds + 15) * 1_000),
  });
  if (answer.ok) return (await answer.json()) as { data: Followed[]; after: string | null };
  const { detail } = (await answer.json().catch(() => ({}))) as { detail?: string };
  if (answer.status >= 500 || answer.status === 429)
    throw new Error(`${answer.status} ${detail ?? ""}`.trim());
  throw new OperatorProblem(`The server responded ${answer.status}: ${detail ?? "no details"}`);
}

async function passOn(options: ListenOptions, key: Uint8Array, event: Followed): Promise<void> {
  const body = JSON.stringify({ type: event.type, timestamp: event.timestamp, data: event.data });
  const timestampSeconds = Math.floor(Date.now() / 1_000);
  const startedMs = performance.now();
  let outcome: string;
  try {
    const answer = await fetch(options.forward, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        "webhook-id": event.id,
        "webhook-timestamp": String(timestampSeconds),
        "webhook-signature": webhookSignature({ id: event.id, timestampSeconds, body }, [key]),
      },
      body,
      redirect: "manual",
      signal: AbortSignal.timeout(answerTimeoutMs),
    });
    await answer.body?.cancel();
    outcome = String(answer.status);
  } catch (error) {
    outcome = reasonOf(error);
  }
  const tookMs = Math.round(performance.now() - startedMs);
  if (options.json) printJson({ id: event.id, type: event.type, outcome, took_ms: tookMs });
  else printLines([`${event.timestamp}  ${event.type}  ->  ${outcome} (${tookMs} ms)`]);
}
