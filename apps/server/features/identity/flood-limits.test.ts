import { expect, test } from "bun:test";
import { Problem } from "../../http/manage/problem.ts";
import { FloodLimits } from "./flood-limits.ts";

function refusal(work: () => void): string | null {
  try {
    work();
    return null;
  } catch (error) {
    return error instanceof Problem ? (error.headers["retry-after"] ?? "") : "another error";
  }
}

test("after so many tries the next is refused until the time is over, and says when that is", () => {
  let nowMs = 1_000_000;
  const limits = new FloodLimits(() => nowMs);
  const attempt = () => refusal(() => limits.check("reset", null, "ada@example.com"));
  expect([attempt(), attempt(), attempt()]).toEqual([null, null, null]);
  expect(attempt()).toBe("900");
  nowMs += 899_500;
  expect(attempt()).toBe("1");
  nowMs += 500;
  expect(attempt()).toBeNull();
});

test("an account is the same however its address is written, and whoever tries", () => {
  const limits = new FloodLimits(() => 0);
  const addresses = ["ada@example.com", "ADA@example.com", " ada@example.com "];
  for (const [index, address] of addresses.entries()) limits.check("reset", `192.0.2.${index}`, address);
  expect(refusal(() => limits.check("reset", "192.0.2.9", "ada@example.com"))).not.toBeNull();
  expect(refusal(() => limits.check("reset", "192.0.2.9", "grace@example.com"))).toBeNull();
});

test("one IPv6 network is one address", () => {
  const limits = new FloodLimits(() => 0);
  for (let time = 0; time < 20; time++) limits.check("sign_up", `2001:db8::${time.toString(16)}`, null);
  expect(refusal(() => limits.check("sign_up", "2001:db8::ffff", null))).not.toBeNull();
  expect(refusal(() => limits.check("sign_up", "2001:db8:0:1::1", null))).toBeNull();
});

test("a success forgives the failures before it", () => {
  const limits = new FloodLimits(() => 0);
  for (let time = 0; time < 10; time++) limits.checkAccount("sign_in", "ada@example.com");
  limits.forgive("sign_in", "Ada@example.com");
  expect(refusal(() => limits.checkAccount("sign_in", "ada@example.com"))).toBeNull();
});

test("what is remembered is bounded", () => {
  const limits = new FloodLimits(() => 0);
  for (let number = 0; number < 60_000; number++) limits.checkAccount("reset", `${number}@example.com`);
  expect(limits.size).toBeLessThanOrEqual(50_000);
});
