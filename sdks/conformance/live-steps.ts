import { type Case, type Expectation, isRefusal, type Step } from "./case.ts";

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
export function liveStepsOf({ steps, answers }: Case): Step[] | null {
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
