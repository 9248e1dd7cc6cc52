import { matchForm } from "@countersign/domain/licenses/key";
import {
  type Answer,
  type Case,
  type ClientSettings,
  defaultKey,
  defaultMembers,
  type Expectation,
  isRefusal,
  type Sent,
  type ServerSetup,
  type Step,
} from "./case.ts";
import { isKnownStatus, type Members, stateFor, stateForRecord } from "./server-state.ts";

/**
 * The live variant of a scripted case: the same steps and expectations, with the responses of a real Countersign. Before
 * each answer, the license is put into the state that the script describes. Faults and modifications of the script are
 * applied in front of the real server.
 */
export function liveVariantOf(one: Case): Case | null {
  const variant = derive(one);
  return typeof variant === "string" ? null : variant;
}

/** Why a real server cannot produce a case; null if it has a live variant. */
export function whyNoLiveVariant(one: Case): NoLiveVariant | null {
  const variant = derive(one);
  return typeof variant === "string" ? variant : null;
}

export type NoLiveVariant =
  | "already answered by a real server"
  | "no server is reached"
  | "a response of an intermediary"
  | "a future status"
  | "a body that no Countersign sends"
  | "a forged signature"
  | "an exact Retry-After"
  | "exact headers"
  | "answers of different servers"
  | "a response of the sandbox";

function derive(one: Case): Case | NoLiveVariant {
  if (one.answers.some(({ real }) => real !== undefined)) return "already answered by a real server";
  if (one.answers.some(({ headers = {} }) => "x-countersign-sandbox" in headers))
    return "a response of the sandbox";
  const answers: Answer[] = [];
  for (const answer of one.answers) {
    const variant = answerOf(answer, one);
    if (typeof variant === "string") return variant;
    answers.push(variant);
  }
  if (!answers.some(({ real }) => real !== undefined)) return whyNoRealAnswer(one.answers);
  const client = clientOf(one);
  const steps = liveStepsOf(one);
  if (typeof client === "string") return client;
  if (steps === null) return "an exact Retry-After";
  return {
    ...one,
    client: settingsOf(one.client),
    answers: answers.map((answer) =>
      answer.real === undefined ? answer : { ...answer, real: { ...client, ...answer.real } },
    ),
    steps,
    ...(one.sent === undefined ? {} : { sent: one.sent.map(withoutApiKey) }),
  };
}

function whyNoRealAnswer(answers: readonly Answer[]): NoLiveVariant {
  if (answers.every(({ fault }) => fault !== undefined)) return "no server is reached";
  return answers.some(({ status = 200 }) => status === 200)
    ? "a body that no Countersign sends"
    : "a response of an intermediary";
}

/** With `real` if a Countersign responds; unchanged if something in front of it does. */
function answerOf(answer: Answer, one: Case): Answer | NoLiveVariant {
  const { status = 200, fault, headers = {} } = answer;
  const delay = transportOf(answer);
  if (Object.keys(headers).some((name) => stateHeaders.includes(name))) return "exact headers";
  if (isDateFromClock(headers)) return "an exact Retry-After";
  if (fault === "cut" || fault === "hang" || fault === "echo") return answer;
  if (answer.custom_levels !== undefined) return "a body that no Countersign sends";
  if (isRefusal(answer))
    return { ...delay, real: status === 401 ? { api_key: "expired" } : { daily_limit: 0 } };
  if (status === 404 && isObject(answer.json) && answer.json.statusCode === 404)
    return hasOnlyLookups(one)
      ? { ...delay, real: { outcome: { license: null } } }
      : "a body that no Countersign sends";
  if (status !== 200) return answer;
  const members = membersIn(answer);
  if (members !== null) {
    const variant = verdictOf(members, answer);
    if (typeof variant === "string") return variant;
    return { ...delay, ...(fault === undefined ? {} : { fault }), ...variant };
  }
  const state = hasOnlyLookups(one) && isObject(answer.json) ? stateForRecord(answer.json) : null;
  return state === null ? answer : { ...delay, real: state };
}

/** Headers whose values depend on the state of a server. */
const stateHeaders = ["ratelimit", "ratelimit-policy", "x-countersign-problem"];

/** A real server's case starts at another time, so a date of the script is not meaningful there. */
function isDateFromClock(headers: Readonly<Record<string, string>>): boolean {
  return / \d\d:\d\d:\d\d /.test(headers["retry-after"] ?? "");
}

/** How the response is sent, which also applies to the response of a real server. */
function transportOf({ after_ms, after_requests, gzip, body_bytes, early_hints }: Answer): Answer {
  return {
    ...(after_ms === undefined ? {} : { after_ms }),
    ...(after_requests === undefined ? {} : { after_requests }),
    ...(gzip === undefined ? {} : { gzip }),
    ...(body_bytes === undefined ? {} : { body_bytes }),
    ...(early_hints === undefined ? {} : { early_hints }),
  };
}

/** A text is treated as a list of members if it contains all ten. */
function membersIn({ validate, text }: Answer): Members | null {
  if (validate !== undefined || text === undefined) return validate ?? null;
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) && Object.keys(defaultMembers).every((name) => name in value) ? value : null;
  } catch {
    return null;
  }
}

function verdictOf(members: Members, { sign }: Answer): Answer | NoLiveVariant {
  if (!isKnownStatus({ ...defaultMembers, ...members }.status)) return "a future status";
  const state = stateFor(members);
  if (state === null) return "a body that no Countersign sends";
  if (sign === undefined) return { real: { ...state, signs_with: null } };
  if (sign.purpose !== undefined || sign.key_id !== undefined) return "a forged signature";
  const { nonce, license_key, replace } = sign;
  const instead = {
    ...(nonce === undefined ? {} : { nonce }),
    ...(license_key === undefined ? {} : { license_key }),
  };
  return {
    real: { ...state, signs_with: sign.secret },
    ...(Object.keys(instead).length === 0 ? {} : { send_instead: instead }),
    ...(replace === undefined ? {} : { replace }),
  };
}

/** The setup shared by all answers of a case: its license keys, and the client's secrets and clock. */
function clientOf({ client = {}, answers, steps }: Case): ServerSetup | NoLiveVariant {
  const signed = answers.flatMap(({ sign }) => (sign === undefined ? [] : [sign]));
  const ages = new Set(signed.map(({ age_seconds: age = 0 }) => age));
  const isForOtherProduct = new Set(signed.map(({ product_id: id }) => id !== client.signing?.product_id));
  if (ages.size > 1 || isForOtherProduct.size > 1) return "answers of different servers";
  const requestedKeys = steps.flatMap(({ validate, check, lookup }) => {
    const { license_key: key = defaultKey } = validate ?? check ?? lookup ?? { license_key: null };
    return key === null || isImpossible(key) ? [] : [key];
  });
  const keys = [
    ...requestedKeys,
    ...signed.flatMap(({ license_key: key }) => (key === undefined ? [] : [key])),
  ];
  const [age = 0] = ages;
  const { secrets, tolerance_seconds: tolerance } = client.signing ?? {};
  return {
    keys: [...new Map(keys.map((key) => [matchForm(key), key])).values()],
    ...(age === 0 ? {} : { client_is_ahead_seconds: aheadSeconds(age) }),
    ...(secrets === undefined
      ? {}
      : {
          signing: {
            secrets,
            ...(tolerance === undefined ? {} : { tolerance_seconds: tolerance }),
            ...(isForOtherProduct.has(true) ? { product: "another" as const } : {}),
          },
        }),
  };
}

/** The setup provides the signing settings. A real server can be slower than a script, so short timeouts get longer. */
function settingsOf({ signing: _, timeout_ms: timeoutMs, ...settings }: ClientSettings = {}): ClientSettings {
  return timeoutMs === undefined ? settings : { ...settings, timeout_ms: Math.max(timeoutMs, 1_500) };
}

/** The client's clock is fixed and the server's is not: a response must not cross the limit within a minute. */
function aheadSeconds(age: number): number {
  const distance = Math.abs(age) - maxSkewSeconds;
  if (Math.abs(distance) > 60) return age;
  return age + Math.sign(age) * (distance > 0 ? 60 : -60);
}

/** A signed response is accepted if the clocks differ by at most a day. */
const maxSkewSeconds = 86_400;

/** No server has a license with this key, and the client sends no request for it. */
function isImpossible(key: string): boolean {
  const trimmed = key.trim();
  return trimmed === "" || [...trimmed].length > 64 || /[\p{Cc}\p{Cs}]/u.test(trimmed);
}

/** The real server generates the API key; its response shows that the key was sent. */
function withoutApiKey(sent: Sent): Sent {
  if (sent.headers === undefined) return sent;
  const { authorization: _, ...headers } = sent.headers;
  return { ...sent, headers };
}

function hasOnlyLookups({ steps }: Case): boolean {
  return steps.every(({ validate, check }) => validate === undefined && check === undefined);
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

const daySeconds = 86_400;

/** Members whose value depends on the server or its time. A case can only expect them of a scripted server. */
const generatedMembers: Readonly<Record<string, readonly string[]>> = {
  license: ["id", "organization_id", "product_id", "global_customer_id", "created_at", "updated_at"],
  result: ["checked_at", "clock_skew_seconds"],
  error: ["headers", "body"],
};

/**
 * The steps of a live variant. A real limit lasts until midnight: where the script's limit ends, the live variant waits
 * another day. Null if the case depends on the exact end.
 */
function liveStepsOf({ steps, answers }: Case): Step[] | null {
  const limit = answers.find((one) => one.status === 429 && isRefusal(one));
  const variants: Step[] = [];
  let waited: number | null = null;
  for (const step of steps) {
    const { error = {} } = step.expect ?? {};
    const variant = withoutGeneratedMembers(step);
    if (limit !== undefined && ("retry_after_seconds" in error || "reset_at" in error)) return null;
    if (limit !== undefined && isLimited(step)) waited ??= 0;
    if (waited === null || step.advance_seconds === undefined || step.clock === "wall") {
      variants.push(variant);
      continue;
    }
    waited += step.advance_seconds;
    if (!(waited > endSecondsOf(limit))) return null;
    variants.push({ ...variant, advance_seconds: step.advance_seconds + daySeconds });
  }
  return variants;
}

export function withoutGeneratedMembers(step: Step): Step {
  if (step.expect === undefined) return step;
  const expected = Object.entries(step.expect).map(([kind, members]) => [
    kind,
    members === null
      ? null
      : Object.fromEntries(
          Object.entries(members).filter(([name]) => generatedMembers[kind]?.includes(name) !== true),
        ),
  ]);
  return { ...step, expect: Object.fromEntries(expected) as Expectation };
}

/** The limit starts with the first call that it affects. */
function isLimited({ expect: { error, decision, result } = {} }: Step): boolean {
  return error?.kind === "rate_limit" || decision?.error === "rate_limit" || result?.source === "grace";
}

function endSecondsOf(limit: Case["answers"][number] | undefined): number {
  const { headers = {}, json } = limit ?? {};
  const inBody =
    typeof json === "object" && json !== null && "retry_after" in json ? json.retry_after : undefined;
  return Number(headers["retry-after"] ?? inBody ?? 60);
}
