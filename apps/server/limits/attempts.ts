import { problems, problemText } from "@countersign/contract/problems/problems";
import type { AttemptRate } from "@countersign/store/queries/identity/attempts";
import { Problem, type Refusal } from "../http/problem.ts";
import type { Rate } from "./rate-limit.ts";

/** How often something can be attempted on one account. */
export interface AccountRates {
  /** By all unknown devices together. It slows attempts down and never locks the account. */
  readonly anywhere: AttemptRate;
  /** By unknown devices in one network. Lower than above, so that one network alone never uses that up. */
  readonly network?: AttemptRate;
  /** By one device on which the owner has signed in before. Nobody else can use this up. */
  readonly device?: AttemptRate;
}

const minute = 60;
const hour = 3_600;

/**
 * How often something can be attempted: per IP address, and per account. Whether the account exists makes no
 * difference, so that the limit reveals nothing. The maximum per account and day of 86,400 seconds: 500 wrong passwords
 * and 298 wrong codes by all unknown devices, and 52 reset emails.
 */
export const limits = {
  sign_in: {
    ipAddress: { times: 60, withinSeconds: 5 * minute },
    account: { anywhere: rate(20, 3 * minute), network: rate(10, 10 * minute), device: rate(10, minute) },
  },
  sign_up: {
    ipAddress: { times: 20, withinSeconds: hour },
    account: { anywhere: rate(5, 12 * minute), network: rate(3, 30 * minute) },
  },
  reset: { ipAddress: { times: 20, withinSeconds: hour }, account: emails() },
  verification: { ipAddress: { times: 20, withinSeconds: hour }, account: emails() },
  second_factor: {
    ipAddress: { times: 60, withinSeconds: 5 * minute },
    account: { anywhere: rate(10, 5 * minute), network: rate(5, 15 * minute), device: rate(10, minute) },
  },
  /** For tokens from an email or a link. */
  token: {
    ipAddress: { times: 30, withinSeconds: 5 * minute },
    account: { anywhere: rate(30, 10) },
  },
  /** For confirming a password. Counted per session: a stolen one must not use up the owner's attempts. */
  password: {
    ipAddress: { times: 60, withinSeconds: 5 * minute },
    account: { anywhere: rate(10, 5 * minute) },
  },
  mail: { ipAddress: { times: 30, withinSeconds: hour }, account: { anywhere: rate(5, 12 * minute) } },
  /** For sign-in emails of the portal: at most 150 a day to one email address, and one every ten minutes at least. */
  portal_sign_in: {
    ipAddress: { times: 100, withinSeconds: 10 * minute },
    account: { anywhere: rate(6, 10 * minute), network: rate(4, 10 * minute), device: rate(6, 2 * minute) },
  },
  /** For those with a code. Further ones have only the link, so that at most 22 codes a day can be guessed at. */
  portal_code_sent: {
    ipAddress: { times: 100, withinSeconds: 10 * minute },
    account: { anywhere: rate(10, 2 * hour), network: rate(10, 2 * hour) },
  },
  /** For guesses at such a code, which also allows five of its own. */
  portal_code: {
    ipAddress: { times: 100, withinSeconds: 10 * minute },
    account: { anywhere: rate(20, minute), network: rate(10, 2 * minute) },
  },
  /** For what a customer changes in the portal: 60 at once, and then one a minute. */
  portal_change: {
    ipAddress: { times: 600, withinSeconds: hour },
    account: { anywhere: rate(60, minute) },
  },
  /** Actions with nothing to guess are not counted per account. */
  anything: { ipAddress: { times: 600, withinSeconds: minute }, account: null },
} as const satisfies Record<string, { ipAddress: Rate; account: AccountRates | null }>;

export type Attempt = keyof typeof limits;

/** Their links work for an hour, so there is always a valid one in the inbox. */
function emails() {
  return { anywhere: rate(4, 30 * minute), network: rate(2, 30 * minute), device: rate(3, 10 * minute) };
}

function rate(burst: number, everySeconds: number): AttemptRate {
  return { burst, everyMs: everySeconds * 1_000 };
}

/** The 429 that says when the next attempt is accepted. */
export function tooManyAttempts(retryAfterSeconds: number): Problem {
  const { code, params, headers } = attemptRefusal(retryAfterSeconds);
  return new Problem(code, params, { headers });
}

/** The same as a plain object, for floods. */
export function attemptRefusal(retryAfterSeconds: number) {
  const code = "too_many_attempts";
  const params = { count: Math.ceil(retryAfterSeconds / 60) };
  return {
    code,
    params,
    status: problems[code].status,
    message: problemText(code, params),
    errors: [],
    headers: { "retry-after": String(retryAfterSeconds) },
    members: {},
  } as const satisfies Refusal;
}

export function secondsUntil(endsAtMs: number, nowMs: number): number {
  return Math.max(1, Math.ceil((endsAtMs - nowMs) / 1_000));
}
