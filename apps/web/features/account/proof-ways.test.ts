import { expect, test } from "bun:test";
import { proofWays } from "./proof-ways.ts";

const me = (password: boolean, passkeys: number, code: boolean) => ({
  two_factor_enabled: code,
  sign_in_methods: { password, passkeys: Array(passkeys).fill({}) },
});

test("the password comes first, then a passkey, then a code, each where there is one", () => {
  expect(proofWays(me(true, 2, true), true)).toEqual(["password", "passkey", "code"]);
  expect(proofWays(me(false, 1, true), true)).toEqual(["passkey", "code"]);
  expect(proofWays(me(false, 0, true), true)).toEqual(["code"]);
  expect(proofWays(me(false, 0, false), true)).toEqual([]);
});

test("a passkey is not offered where the browser cannot use it", () => {
  expect(proofWays(me(false, 1, false), false)).toEqual([]);
  expect(proofWays(me(true, 1, false), false)).toEqual(["password"]);
});
