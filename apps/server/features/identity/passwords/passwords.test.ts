import { describe, expect, test } from "bun:test";
import { cheapHash } from "../../../../../tests/support/sign-in-fixture.ts";
import { AuthApi } from "../sign-in/auth-api.ts";
import { type AuthCall, runForCall } from "../sign-in/auth-call.ts";
import { checkingPasswordsOf, hashPassword, ThrottledQueue, verifyPassword } from "./passwords.ts";

const hash = cheapHash("a good password");
const owner = { id: "u", email: "ada@example.com" };
const stranger = { id: "v", email: "x@y.z" };
const busy = expect.objectContaining({ code: "sign_in_busy", headers: { "retry-after": "5" } });

/** As many anonymous passwords as are accepted at once: one is checked, and the others wait. */
function crowd(): Promise<boolean>[] {
  return Array.from({ length: 25 }, (_, number) =>
    checkingPasswordsOf({ isKnown: false, network: `${number % 4}` }, () => verifyPassword("guess", hash)),
  );
}

function callOf(parts: object): AuthCall {
  const route = { id: "signIn", account: "email" };
  return { route, body: { email: owner.email }, person: null, device: null, ip: null, ...parts } as never;
}

test("a password is the same however its characters are typed, and is stored as an expensive hash", async () => {
  const stored = await hashPassword("pa\u00dfw\u00f6rter");
  expect(stored).toStartWith("$argon2id$v=19$m=19456,t=2,p=1$");
  expect(await verifyPassword("pa\u00dfwo\u0308rter", stored)).toBe(true);
  expect(await verifyPassword("passworter", stored)).toBe(false);
});

describe("passwords beyond those that can wait", () => {
  const check = () => verifyPassword("a good password", hash);

  test.each([
    ["of a signed-in user is checked", { person: { userId: "u", by: { session: "s" } } }, true],
    ["of a known device of the account is checked", { device: { id: "d", owner } }, true],
    ["from a link for a new one is checked", { route: { id: "resetPassword" } }, true],
    ["of a known device of another account is refused", { device: { id: "d", owner: stranger } }, false],
    ["of an unknown device is refused", {}, false],
  ])("while the queue is full, the password %s", async (_, parts, isChecked) => {
    let isCrowdDone = false;
    const done = Promise.all(crowd()).then(() => {
      isCrowdDone = true;
    });
    const answer = runForCall(callOf(parts), check);
    if (isChecked) expect([await answer, isCrowdDone]).toEqual([true, false]);
    else await expect(answer).rejects.toEqual(busy);
    await done;
  });

  test.each([
    ["a session cookie goes on", {}, true, false],
    ["a device cookie goes on", { claimedDevice: { id: "d" } }, false, false],
    ["a link for a password goes on", { route: { id: "resetPassword", isExpensive: true } }, false, false],
    ["no password goes on", { route: { id: "getSession" } }, false, false],
    ["none of these is refused before its body is read", {}, false, true],
  ])("while the queue is full, a request with %s", async (_, parts, mayBeKnown, isRejected) => {
    const waiting = crowd();
    const goesOn = new Error("It goes on.");
    const going = () => {
      throw goesOn;
    };
    const identity = { config: { url: "http://127.0.0.1" }, personOf: () => Promise.reject(goesOn) };
    const reading = Object.defineProperty(identity, "store", { get: going });
    const api = new AuthApi(reading as never, { session: "session", secondFactor: "second" });
    const request = { route: { id: "signIn", isExpensive: true }, claimedDevice: null, ip: null, ...parts };
    const route = Object.defineProperty({ ...request.route }, "query", { get: going });
    const answer = api.answer({ ...request, route } as never, mayBeKnown);
    await expect(answer).rejects.toEqual(isRejected ? busy : goesOn);
    await Promise.all(waiting);
  });
});

function wait(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

const limits = { anonymous: 10, known: 2, perNetwork: 10 };
const stranger1 = { isKnown: false, network: "198.51.100.1" };
const stranger2 = { isKnown: false, network: "198.51.100.2" };
const user = { isKnown: true, network: "198.51.100.1" };

test("tasks run one at a time, in the order in which they were added, also after one that failed", async () => {
  const queue = new ThrottledQueue(limits);
  const order: string[] = [];
  const work = (name: string) => async () => {
    order.push(`${name} begins`);
    await wait(2);
    order.push(`${name} ends`);
    if (name === "a") throw new Error("no");
    return name;
  };
  const names = ["a", "b", "c"];
  const results = await Promise.allSettled(names.map((name) => queue.add(work(name), stranger1)));
  expect(results.map(({ status }) => status)).toEqual(["rejected", "fulfilled", "fulfilled"]);
  expect(order).toEqual(names.flatMap((name) => [`${name} begins`, `${name} ends`]));
});

test("while tasks wait, the queue pauses after each for as long as the task took", async () => {
  const queue = new ThrottledQueue(limits);
  const startedMs = performance.now();
  await Promise.all([1, 2, 3].map(() => queue.add(() => wait(30), stranger1)));
  expect(performance.now() - startedMs).toBeGreaterThan(5 * 30 - 10);
});

test("a full queue refuses the next task immediately, except those of known users, which go first", async () => {
  const queue = new ThrottledQueue({ ...limits, anonymous: 2 });
  const order: string[] = [];
  const add = (name: string, isKnown = false) =>
    queue.add(
      async () => {
        await wait(2);
        order.push(name);
      },
      isKnown ? user : stranger1,
    );
  const all = [add("a"), add("b"), add("c")];
  expect([queue.isFull(stranger1), queue.isFull(user), add("one too many")]).toEqual([true, false, null]);
  all.push(add("known", true), add("known too", true));
  expect(add("one known too many", true)).toBeNull();
  await Promise.all(all);
  expect(order).toEqual(["a", "known", "known too", "b", "c"]);
  expect(add("later")).not.toBeNull();
});

test("tasks of anonymous clients run in turns of their networks, of which each can have few waiting", async () => {
  const queue = new ThrottledQueue({ ...limits, perNetwork: 3 });
  const order: string[] = [];
  const add = (name: string, owner: typeof user) => queue.add(async () => void order.push(name), owner);
  const all = ["a1", "a2", "a3", "a4"].map((name) => add(name, stranger1));
  expect(add("a5", stranger1)).toBeNull();
  all.push(add("b1", stranger2), add("b2", stranger2));
  await Promise.all(all);
  expect(order).toEqual(["a1", "a2", "b1", "a3", "b2", "a4"]);
});
