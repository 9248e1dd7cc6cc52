import { AsyncLocalStorage } from "node:async_hooks";
import { randomBytes, scrypt, timingSafeEqual } from "node:crypto";
import { Problem } from "../../http/manage/problem.ts";
import { TurnTaker } from "./turn-taker.ts";

/** 32 MiB and about a tenth of a second of a core: what it costs to try one password. */
const cost = { N: 2 ** 15, r: 8, p: 3 };
const saltBytes = 16;
const hashBytes = 32;
/** Twice of what the cost needs, 128 * N * r, is allowed to be taken. */
const maxMemoryBytes = 256 * cost.N * cost.r;
const longestQueue = 24;
const longestAhead = 12;

/**
 * One at a time for the whole process, in another thread. It is the dearest thing a stranger can make a server do, so
 * a flood of it takes half of one core at most, and the rest of the flood is refused.
 */
const turns = new TurnTaker(longestQueue, longestAhead);

const goesAhead = new AsyncLocalStorage<true>();

/** Passwords that `work` looks at go ahead of those of strangers: for people who are signed in or at a known device. */
export function aheadOfStrangers<T>(work: () => T): T {
  return goesAhead.run(true, work);
}

/** A password as it is stored: `scrypt$N$r$p$salt$hash`. */
export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(saltBytes);
  const hash = await inTurn(() => derive(password, salt, cost));
  return ["scrypt", cost.N, cost.r, cost.p, salt.toString("base64url"), hash.toString("base64url")].join("$");
}

export async function verifyPassword(password: string, stored: string): Promise<boolean> {
  const [scheme, N, r, p, salt, hash] = stored.split("$");
  if (scheme !== "scrypt" || salt === undefined || hash === undefined) return false;
  const expected = Buffer.from(hash, "base64url");
  const found = await inTurn(() =>
    derive(password, Buffer.from(salt, "base64url"), { N: Number(N), r: Number(r), p: Number(p) }),
  );
  return expected.length === found.length && timingSafeEqual(expected, found);
}

/** Throws at once when a password could not be looked at anyway. */
export function checkRoomForPassword(isAhead: boolean): void {
  if (turns.isFull(isAhead)) throw crowded();
}

async function inTurn<T>(work: () => Promise<T>): Promise<T> {
  const turn = turns.take(work, goesAhead.getStore() === true);
  if (turn !== null) return turn;
  throw crowded();
}

function crowded(): Problem {
  return new Problem("too_many_requests", "Too many people are signing in right now. Try again shortly.", {
    headers: { "retry-after": "5" },
  });
}

function derive(password: string, salt: Buffer, { N, r, p }: typeof cost): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    // The same letters can be typed in more than one way; composed, they are the same bytes.
    const options = { N, r, p, maxmem: maxMemoryBytes };
    scrypt(password.normalize("NFKC"), salt, hashBytes, options, (error, key) =>
      error ? reject(error) : resolve(key),
    );
  });
}
