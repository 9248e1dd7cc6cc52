import { Problem } from "../../http/manage/problem.ts";

export interface Limit {
  readonly times: number;
  readonly withinSeconds: number;
}

const minute = 60;
const hour = 3_600;

/**
 * How often something may be tried: by one address, and for one account from wherever. Whether the account exists makes
 * no difference, so that the limit tells nothing.
 */
export const limits = {
  sign_in: {
    address: { times: 60, withinSeconds: 5 * minute },
    account: { times: 10, withinSeconds: 10 * minute },
  },
  sign_up: { address: { times: 20, withinSeconds: hour }, account: { times: 5, withinSeconds: hour } },
  reset: { address: { times: 20, withinSeconds: hour }, account: { times: 3, withinSeconds: 15 * minute } },
  verification: {
    address: { times: 20, withinSeconds: hour },
    account: { times: 3, withinSeconds: 15 * minute },
  },
  second_factor: {
    address: { times: 60, withinSeconds: 5 * minute },
    account: { times: 10, withinSeconds: 5 * minute },
  },
  /** What a token from a mail or a link is tried with. */
  token: {
    address: { times: 30, withinSeconds: 5 * minute },
    account: { times: 30, withinSeconds: 5 * minute },
  },
  /** A password that is asked for again, of somebody who is signed in. */
  password: {
    address: { times: 60, withinSeconds: 5 * minute },
    account: { times: 10, withinSeconds: 10 * minute },
  },
  mail: { address: { times: 30, withinSeconds: hour }, account: { times: 5, withinSeconds: hour } },
  /** What gives nobody anything to guess at is not counted by account. */
  anything: { address: { times: 600, withinSeconds: minute }, account: null },
} as const satisfies Record<string, { address: Limit; account: Limit | null }>;

export type Attempt = keyof typeof limits;

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
