import { describe, expect, test } from "bun:test";
import { cheapHash } from "../../../../tests/support/sign-in-fixture.ts";
import { AuthApi } from "./auth-api.ts";
import type { AuthCall } from "./auth-call.ts";
import { runForCall } from "./call-origin.ts";
import { hashPassword, verifyPassword } from "./passwords.ts";

const hash = cheapHash("a good password");
const owner = { id: "u", email: "ada@example.com" };
const busy = expect.objectContaining({ code: "sign_in_busy", headers: { "retry-after": "5" } });

/** As many anonymous passwords as are accepted at once: one is checked, and the others wait. */
function crowd(): Promise<boolean>[] {
  return Array.from({ length: 25 }, () => verifyPassword("guess", hash));
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

describe("while as many anonymous passwords wait as are accepted", () => {
  const check = () => verifyPassword("a good password", hash);

  test.each([
    ["of a signed-in user is checked", { person: { userId: "u", by: { session: "s" } } }, true],
    ["of a known device of the account is checked", { device: { id: "d", owner } }, true],
    ["from a link for a new one is checked", { route: { id: "resetPassword" } }, true],
    [
      "of a known device of another account is refused",
      { device: { id: "d", owner: { id: "v", email: "x@y.z" } } },
      false,
    ],
    ["of an unknown device is refused", {}, false],
  ])("the password %s", async (_, parts, isChecked) => {
    const waiting = crowd();
    let isCrowdDone = false;
    void Promise.all(waiting).then(() => {
      isCrowdDone = true;
    });
    const answer = runForCall(callOf(parts), check);
    if (isChecked) expect([await answer, isCrowdDone]).toEqual([true, false]);
    else await expect(answer).rejects.toEqual(busy);
    await Promise.all(waiting);
  });

  test.each([
    ["a session cookie goes on", {}, true, false],
    ["a device cookie goes on", { claimedDevice: { id: "d" } }, false, false],
    [
      "a link for a new password goes on",
      { route: { id: "resetPassword", isExpensive: true } },
      false,
      false,
    ],
    ["no password goes on", { route: { id: "getSession" } }, false, false],
    ["none of these is rejected before its body is read", {}, false, true],
  ])("a request with %s", async (_, parts, mayBeKnown, isRejected) => {
    const waiting = crowd();
    const goesOn = new Error("It goes on.");
    const api = new AuthApi(
      {
        config: { url: "http://127.0.0.1" },
        get store() {
          throw goesOn;
        },
        personOf: () => Promise.reject(goesOn),
      } as never,
      { session: "session", secondFactor: "second" },
    );
    const request = { route: { id: "signIn", isExpensive: true }, claimedDevice: null, ...parts };
    const withoutQuery = {
      ...request,
      route: {
        ...request.route,
        get query() {
          throw goesOn;
        },
      },
    };
    const answer = api.answer(withoutQuery as never, mayBeKnown);
    await expect(answer).rejects.toEqual(isRejected ? busy : goesOn);
    await Promise.all(waiting);
  });
});
