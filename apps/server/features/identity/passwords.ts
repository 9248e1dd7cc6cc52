import { AsyncLocalStorage } from "node:async_hooks";
import { Problem } from "../../http/manage/problem.ts";
import { ThrottledQueue } from "./throttled-queue.ts";

/** What OWASP recommends at least: 19 MiB and some 50 ms of a core for each password that is tried. */
const cost = { algorithm: "argon2id", memoryCost: 19_456, timeCost: 2 } as const;
const longestQueue = 24;
const longestAhead = 12;

/**
 * One at a time for the whole process, on another thread. It is the most expensive operation that an anonymous client
 * can cause, so a flood takes at most half of one core, and the rest of the flood is rejected.
 */
const queue = new ThrottledQueue(longestQueue, longestAhead);

const goesAhead = new AsyncLocalStorage<true>();

/** Passwords checked inside `work` go ahead of anonymous ones: for people who are signed in or on a known device. */
export function aheadOfAnonymous<T>(work: () => T): T {
  return goesAhead.run(true, work);
}

/** A password as it is stored, in the PHC format: algorithm, cost, salt and hash. */
export function hashPassword(password: string): Promise<string> {
  return queued(() => Bun.password.hash(composed(password), cost));
}

export function verifyPassword(password: string, stored: string): Promise<boolean> {
  return queued(() => Bun.password.verify(composed(password), stored));
}

/** Throws immediately if there is no capacity to check a password anyway. */
export function checkPasswordCapacity(isAhead: boolean): void {
  if (queue.isFull(isAhead)) throw atCapacity();
}

async function queued<T>(work: () => Promise<T>): Promise<T> {
  const task = queue.add(work, goesAhead.getStore() === true);
  if (task !== null) return task;
  throw atCapacity();
}

function atCapacity(): Problem {
  return new Problem("sign_in_busy", {}, { headers: { "retry-after": "5" } });
}

/** The same characters can be typed in more than one way; composed, they are the same bytes. */
function composed(password: string): string {
  return password.normalize("NFKC");
}
