import type { AttemptRate } from "@countersign/store/queries/attempts";
import { Problem } from "../../http/manage/problem.ts";

export interface Limit {
  readonly times: number;
  readonly withinSeconds: number;
}

/** How often something may be tried on one account. */
export interface AccountRates {
  /** By all devices that are not known, wherever they are. It slows down and never locks. */
  readonly anywhere: AttemptRate;
  /** By such devices of one network. Less than above, so that one network alone never uses that up. */
  readonly network?: AttemptRate;
  /** By one device at which the owner has signed in before. Nobody else uses this up. */
  readonly device?: AttemptRate;
}

const minute = 60;
const hour = 3_600;

/**
 * How often something may be tried: by one address, and on one account. Whether the account exists makes no
 * difference, so that the limit tells nothing. The bounds by account and day, with 86,400 seconds: 500 wrong passwords
 * and 298 wrong codes by unknown devices together, and 52 reset emails.
 */
export const limits = {
  sign_in: {
    address: { times: 60, withinSeconds: 5 * minute },
    account: { anywhere: rate(20, 3 * minute), network: rate(10, 10 * minute), device: rate(10, minute) },
  },
  sign_up: {
    address: { times: 20, withinSeconds: hour },
    account: { anywhere: rate(5, 12 * minute), network: rate(3, 30 * minute) },
  },
  reset: { address: { times: 20, withinSeconds: hour }, account: emails() },
  verification: { address: { times: 20, withinSeconds: hour }, account: emails() },
  second_factor: {
    address: { times: 60, withinSeconds: 5 * minute },
    account: { anywhere: rate(10, 5 * minute), network: rate(5, 15 * minute), device: rate(10, minute) },
  },
  /** What a token from a mail or a link is tried with. */
  token: {
    address: { times: 30, withinSeconds: 5 * minute },
    account: { anywhere: rate(30, 10) },
  },
  /** A password that is asked for again. The account is the session: a stolen one must not use up the owner's tries. */
  password: {
    address: { times: 60, withinSeconds: 5 * minute },
    account: { anywhere: rate(10, 5 * minute) },
  },
  mail: { address: { times: 30, withinSeconds: hour }, account: { anywhere: rate(5, 12 * minute) } },
  /** What gives nobody anything to guess at is not counted by account. */
  anything: { address: { times: 600, withinSeconds: minute }, account: null },
} as const satisfies Record<string, { address: Limit; account: AccountRates | null }>;

export type Attempt = keyof typeof limits;

/** The links in them are good for an hour, so there is always one in the mailbox that works. */
function emails() {
  return { anywhere: rate(4, 30 * minute), network: rate(2, 30 * minute), device: rate(3, 10 * minute) };
}

function rate(burst: number, everySeconds: number): AttemptRate {
  return { burst, everyMs: everySeconds * 1_000 };
}

/** What the 429 says that tells when the next try will be heard. */
export function tooOften(retryAfterSeconds: number) {
  return {
    kind: "too_many_requests",
    message: `That was tried too often. Try again in ${inWords(retryAfterSeconds)}.`,
    errors: [],
    headers: { "retry-after": String(retryAfterSeconds) },
  } as const;
}

export function tooOftenProblem(retryAfterSeconds: number): Problem {
  const { kind, message, headers } = tooOften(retryAfterSeconds);
  return new Problem(kind, message, { headers });
}

export function secondsUntil(endsAtMs: number, nowMs: number): number {
  return Math.max(1, Math.ceil((endsAtMs - nowMs) / 1_000));
}

function inWords(seconds: number): string {
  if (seconds < 90) return `${seconds} seconds`;
  return `${Math.ceil(seconds / 60)} minutes`;
}
