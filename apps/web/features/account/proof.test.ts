import { expect, test } from "bun:test";
import { proofMethods } from "./proof.tsx";

const me = (password: boolean, passkeys: number, code: boolean) => ({
  two_factor_enabled: code,
  sign_in_methods: { password, passkeys: Array(passkeys).fill({}) },
});

test("the password is offered first, then a passkey, then a code, each where there is one", () => {
  expect(proofMethods(me(true, 2, true), true)).toEqual(["password", "passkey", "code"]);
  expect(proofMethods(me(false, 1, true), true)).toEqual(["passkey", "code"]);
  expect([true, false].map((code) => proofMethods(me(false, 0, code), true))).toEqual([["code"], []]);
});

test("a passkey is not offered where the browser cannot use it", () => {
  expect(proofMethods(me(false, 1, false), false)).toEqual([]);
  expect(proofMethods(me(true, 1, false), false)).toEqual(["password"]);
});
