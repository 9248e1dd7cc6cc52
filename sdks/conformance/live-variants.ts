import { matchForm } from "@countersign/domain/licenses/key";
import {
  type Answer,
  type Case,
  type ClientSettings,
  defaultKey,
  defaultMembers,
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
  | "answers of different servers"
  | "a response of the sandbox";

/** Members that the server generates. A case can only expect them of a scripted server. */
const generatedMembers = [
  "id",
  "organization_id",
  "product_id",
  "global_customer_id",
  "created_at",
  "updated_at",
];
const daySeconds = 86_400;

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
  const steps = stepsOf(one);
  if (typeof client === "string") return client;
  if (typeof steps === "string") return steps;
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
  const { status = 200, fault, after_ms } = answer;
  const delay = after_ms === undefined ? {} : { after_ms };
  if (fault === "cut" || fault === "hang") return answer;
  if (status === 401) return { ...delay, real: { api_key: "expired" } };
  if (status === 429) return { ...delay, real: { daily_limit: 0 } };
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
    const call = validate ?? check ?? lookup;
    return call === undefined ? [] : [call.license_key ?? defaultKey];
  });
  const keys = [
    ...requestedKeys,
    ...signed.flatMap(({ license_key: key }) => (key === undefined ? [] : [key])),
  ];
  const [age = 0] = ages;
  const { secrets, tolerance_seconds: tolerance } = client.signing ?? {};
  return {
    keys: [...new Map(keys.map((key) => [matchForm(key), key])).values()],
    ...(age === 0 ? {} : { client_is_ahead_seconds: aheadSeconds(age, tolerance ?? 300) }),
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

/** The client's clock is fixed and the server's is not: a stale response has to stay stale for a minute. */
function aheadSeconds(age: number, tolerance: number): number {
  return age > tolerance ? age + 60 : age;
}

/** A real limit lasts until midnight: where the script's limit ends, the live variant waits another day. */
function stepsOf({ steps, answers }: Case): Step[] | NoLiveVariant {
  const limit = answers.find(({ status }) => status === 429);
  if (limit === undefined) return steps.map(withoutGeneratedMembers);
  const retryAfter =
    limit.headers?.["retry-after"] ?? (isObject(limit.json) ? limit.json.retry_after : undefined);
  const endSeconds = Number(retryAfter ?? 60);
  let waited: number | null = null;
  const variants: Step[] = [];
  for (const step of steps) {
    const { error = {} } = step.expect ?? {};
    if ("retry_after_seconds" in error || "reset_at" in error) return "an exact Retry-After";
    if (error.kind === "rate_limit") waited ??= 0;
    if (waited === null || step.advance_seconds === undefined || step.clock === "wall") {
      variants.push(step);
      continue;
    }
    waited += step.advance_seconds;
    if (waited <= endSeconds) return "an exact Retry-After";
    variants.push({ ...step, advance_seconds: step.advance_seconds + daySeconds });
  }
  return variants;
}

function withoutGeneratedMembers(step: Step): Step {
  const { license } = step.expect ?? {};
  if (license === undefined) return step;
  const expected = Object.entries(license).filter(([name]) => !generatedMembers.includes(name));
  return { ...step, expect: { license: Object.fromEntries(expected) } };
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
