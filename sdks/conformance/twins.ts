import { matchForm } from "@countersign/domain/licenses/key";
import {
  type Answer,
  type Arrangement,
  type Case,
  type ClientSettings,
  type Sent,
  type Step,
  usual,
  usualKey,
} from "./case.ts";
import { isKnownStatus, type Members, worldOf, worldOfRecord } from "./world.ts";

/**
 * The twin of a scripted case is the same case answered by a real Countersign: before each answer the license is
 * brought into the state that the script speaks of, and the server is asked. What the script does to an answer or to
 * the connection is done in front of that server. Nobody writes a twin: it follows from its case.
 */
export function twinOf(one: Case): Case | null {
  const twin = derived(one);
  return typeof twin === "string" ? null : twin;
}

/** Why no real server can give rise to a case; null for one that has a twin. */
export function whyNoTwin(one: Case): NoTwin | null {
  const twin = derived(one);
  return typeof twin === "string" ? twin : null;
}

export type NoTwin =
  | "a real server answers it already"
  | "no server is reached in it"
  | "what something in between answers"
  | "a status of the future"
  | "a body that no Countersign sends"
  | "a signature that only a forger makes"
  | "an exact Retry-After"
  | "answers that no one server gives to one client";

/** What a server makes up, and a case can only know of a scripted one. */
const madeUp = ["id", "organization_id", "product_id", "global_customer_id", "created_at", "updated_at"];
const daySeconds = 86_400;

function derived(one: Case): Case | NoTwin {
  if (one.answers.some(({ real }) => real !== undefined)) return "a real server answers it already";
  const answers: Answer[] = [];
  for (const answer of one.answers) {
    const twin = answerOf(answer, one);
    if (typeof twin === "string") return twin;
    answers.push(twin);
  }
  if (!answers.some(({ real }) => real !== undefined)) return whyNobodyAnswers(one.answers);
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
    ...(one.sent === undefined ? {} : { sent: one.sent.map(withoutKey) }),
  };
}

function whyNobodyAnswers(answers: readonly Answer[]): NoTwin {
  if (answers.every(({ fault }) => fault !== undefined)) return "no server is reached in it";
  return answers.some(({ status = 200 }) => status === 200)
    ? "a body that no Countersign sends"
    : "what something in between answers";
}

/** With `real` where a Countersign answers; as it is where something in front of it does. */
function answerOf(answer: Answer, one: Case): Answer | NoTwin {
  const { status = 200, fault, after_ms } = answer;
  const late = after_ms === undefined ? {} : { after_ms };
  if (fault === "cut" || fault === "hang") return answer;
  if (status === 401) return { ...late, real: { api_key: "ended" } };
  if (status === 429) return { ...late, real: { daily_limit: 0 } };
  if (status === 404 && isObject(answer.json) && answer.json.statusCode === 404)
    return isAboutRecords(one)
      ? { ...late, real: { outcome: { license: null } } }
      : "a body that no Countersign sends";
  if (status !== 200) return answer;
  const members = membersIn(answer);
  if (members !== null) {
    const twin = verdictOf(members, answer);
    if (typeof twin === "string") return twin;
    return { ...late, ...(fault === undefined ? {} : { fault }), ...twin };
  }
  const world = isAboutRecords(one) && isObject(answer.json) ? worldOfRecord(answer.json) : null;
  return world === null ? answer : { ...late, real: world };
}

/** A text is as good as a list of members when all ten are in it. */
function membersIn({ validate, text }: Answer): Members | null {
  if (validate !== undefined || text === undefined) return validate ?? null;
  try {
    const said: unknown = JSON.parse(text);
    return isObject(said) && Object.keys(usual).every((name) => name in said) ? said : null;
  } catch {
    return null;
  }
}

function verdictOf(members: Members, { sign }: Answer): Answer | NoTwin {
  if (!isKnownStatus({ ...usual, ...members }.status)) return "a status of the future";
  const world = worldOf(members);
  if (world === null) return "a body that no Countersign sends";
  if (sign === undefined) return { real: { ...world, signs_with: null } };
  if (sign.purpose !== undefined || sign.key_id !== undefined) return "a signature that only a forger makes";
  const { nonce, license_key, replace } = sign;
  const instead = {
    ...(nonce === undefined ? {} : { nonce }),
    ...(license_key === undefined ? {} : { license_key }),
  };
  return {
    real: { ...world, signs_with: sign.secret },
    ...(Object.keys(instead).length === 0 ? {} : { asks_instead: instead }),
    ...(replace === undefined ? {} : { replace }),
  };
}

/** What is the same for all answers of a case: its licenses, and what its client knows and believes. */
function clientOf({ client = {}, answers, steps }: Case): Arrangement | NoTwin {
  const signed = answers.flatMap(({ sign }) => (sign === undefined ? [] : [sign]));
  const ages = new Set(signed.map(({ age_seconds: age = 0 }) => age));
  const isOthers = new Set(signed.map(({ product_id: id }) => id !== client.signing?.product_id));
  if (ages.size > 1 || isOthers.size > 1) return "answers that no one server gives to one client";
  const asked = steps.flatMap(({ validate, check, lookup }) => {
    const question = validate ?? check ?? lookup;
    return question === undefined ? [] : [question.license_key ?? usualKey];
  });
  const keys = [...asked, ...signed.flatMap(({ license_key: key }) => (key === undefined ? [] : [key]))];
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
            ...(isOthers.has(true) ? { product: "another" as const } : {}),
          },
        }),
  };
}

/** What answers are signed with is arranged. A real server may take longer than a script on a machine with much to do. */
function settingsOf({ signing: _, timeout_ms: timeoutMs, ...settings }: ClientSettings = {}): ClientSettings {
  return timeoutMs === undefined ? settings : { ...settings, timeout_ms: Math.max(timeoutMs, 1_500) };
}

/** The client's clock stands still and the server's does not: an answer that is too old has to stay so for a minute. */
function aheadSeconds(age: number, tolerance: number): number {
  return age > tolerance ? age + 60 : age;
}

/** A real limit holds until midnight, however long the script's does: where that is over, a day passes more. */
function stepsOf({ steps, answers }: Case): Step[] | NoTwin {
  const limit = answers.find(({ status }) => status === 429);
  if (limit === undefined) return steps.map(withoutMadeUp);
  const said = limit.headers?.["retry-after"] ?? (isObject(limit.json) ? limit.json.retry_after : undefined);
  const endSeconds = Number(said ?? 60);
  let waited: number | null = null;
  const twins: Step[] = [];
  for (const step of steps) {
    const { error = {} } = step.expect ?? {};
    if ("retry_after_seconds" in error || "reset_at" in error) return "an exact Retry-After";
    if (error.kind === "rate_limit") waited ??= 0;
    if (waited === null || step.advance_seconds === undefined || step.clock === "wall") {
      twins.push(step);
      continue;
    }
    waited += step.advance_seconds;
    if (waited <= endSeconds) return "an exact Retry-After";
    twins.push({ ...step, advance_seconds: step.advance_seconds + daySeconds });
  }
  return twins;
}

function withoutMadeUp(step: Step): Step {
  const { license } = step.expect ?? {};
  if (license === undefined) return step;
  const named = Object.entries(license).filter(([name]) => !madeUp.includes(name));
  return { ...step, expect: { license: Object.fromEntries(named) } };
}

/** The API key is the server's own, and what it answers shows that it came. */
function withoutKey(sent: Sent): Sent {
  if (sent.headers === undefined) return sent;
  const { authorization: _, ...headers } = sent.headers;
  return { ...sent, headers };
}

function isAboutRecords({ steps }: Case): boolean {
  return steps.every(({ validate, check }) => validate === undefined && check === undefined);
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
