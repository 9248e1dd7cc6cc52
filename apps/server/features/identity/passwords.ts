import { AsyncLocalStorage } from "node:async_hooks";
import { networkOf } from "../../http/caller-ip.ts";
import { Problem } from "../../http/problem.ts";
import { type TaskOwner, ThrottledQueue } from "./throttled-queue.ts";

/** What OWASP recommends at least: 19 MiB and some 50 ms of a core for each password that is tried. */
const cost = { algorithm: "argon2id", memoryCost: 19_456, timeCost: 2 } as const;
const limits = { anonymous: 24, known: 12, perNetwork: 8 };

/**
 * One at a time for the whole process, on another thread. It is the most expensive operation that an anonymous client
 * can cause, so a flood takes at most half of one core, and the rest of the flood is rejected.
 */
const queue = new ThrottledQueue(limits);

const nobodyKnown: TaskOwner = { isKnown: false, network: networkOf(null) };
const owners = new AsyncLocalStorage<TaskOwner>();

/** Whose passwords are checked inside `work`: those of people who are signed in or on a known device go first. */
export function checkingPasswordsOf<T>(owner: TaskOwner, work: () => T): T {
  return owners.run(owner, work);
}

/** A password as it is stored, in the PHC format: algorithm, cost, salt and hash. */
export function hashPassword(password: string): Promise<string> {
  return queued(() => Bun.password.hash(composed(password), cost));
}

export function verifyPassword(password: string, stored: string): Promise<boolean> {
  return queued(() => Bun.password.verify(composed(password), stored));
}

/** Throws immediately if there is no capacity to check a password anyway. */
export function checkPasswordCapacity(owner: TaskOwner): void {
  if (queue.isFull(owner)) throw atCapacity();
}

async function queued<T>(work: () => Promise<T>): Promise<T> {
  const task = queue.add(work, owners.getStore() ?? nobodyKnown);
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
