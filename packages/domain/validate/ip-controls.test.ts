import { describe, expect, test } from "bun:test";
import { decide } from "./decide.ts";
import type { IpRegistration } from "./facts.ts";
import { nowMs, sampleCaller, sampleLicense, sampleProduct } from "./sample-facts.ts";
import type { Outcome } from "./status.ts";

interface Case {
  readonly blocked: boolean;
  readonly tracked: boolean;
  readonly ipSystem: boolean;
  readonly registration: IpRegistration;
  readonly address: "new" | "registered";
  readonly slots: "none taken" | "some taken" | "all taken";
}

const checked = { blocked: false, tracked: true, ipSystem: true } as const;
const newIp = { ...checked, address: "new" } as const;

/** What a row does not name is any. */
const rows: [when: Partial<Case>, status: Outcome, ipRegistered: boolean | null][] = [
  [{ blocked: true, ipSystem: true }, "ip_blocked", false],
  [{ blocked: true, ipSystem: false }, "ip_blocked", null],
  [{ blocked: false, ipSystem: false }, "active", null],
  [{ blocked: false, ipSystem: true, tracked: false }, "active", false],
  [{ ...checked, address: "registered" }, "active", false],
  [{ ...newIp, registration: "off" }, "ip_not_registered", false],
  [{ ...newIp, registration: "until_limit", slots: "none taken" }, "active", true],
  [{ ...newIp, registration: "until_limit", slots: "some taken" }, "active", true],
  [{ ...newIp, registration: "until_limit", slots: "all taken" }, "ip_limit_reached", false],
  [{ ...newIp, registration: "first_only", slots: "none taken" }, "active", true],
  [{ ...newIp, registration: "first_only", slots: "some taken" }, "ip_not_registered", false],
  [{ ...newIp, registration: "first_only", slots: "all taken" }, "ip_limit_reached", false],
];

const taken = { "none taken": 0, "some taken": 1, "all taken": 3 } as const;
const maxIps = 3;

test("every case is described by exactly one row", () => {
  for (const one of everyCase()) expect(rows.filter(([when]) => fits(one, when))).toHaveLength(1);
});

describe.each(rows)("if %j, the status is %s, and a new registration is answered with %p", (...row) => {
  const [when, status, ipRegistered] = row;
  test.each(everyCase().filter((one) => fits(one, when)))("%j", (one) => {
    const registered = taken[one.slots];
    const verdict = decide(
      { ...sampleProduct, trackIp: one.tracked, registration: one.registration },
      { ...sampleLicense, ips: one.ipSystem ? { max: maxIps, registered } : null },
      { ...sampleCaller, blocked: one.blocked, registered: one.address === "registered" },
      nowMs,
    );
    const takesSlot = ipRegistered === true;
    expect(verdict).toMatchObject({
      status,
      ipRegistered,
      ipCount: one.ipSystem ? registered + (takesSlot ? 1 : 0) : null,
      maxIps: one.ipSystem ? maxIps : null,
      effect: takesSlot ? "register_ip" : "none",
    });
  });
});

test("an address takes no slot when the version is refused", () => {
  const refused = { ...sampleCaller, registered: false, version: "0.9.0" };
  const verdict = decide(sampleProduct, sampleLicense, refused, nowMs);
  expect(verdict.status).toBe("version_not_allowed");
  expect(verdict).toMatchObject({ ipRegistered: false, ipCount: 1, effect: "none" });
});

function everyCase(): Case[] {
  const flags = [true, false];
  const values: { [Name in keyof Case]: readonly Case[Name][] } = {
    blocked: flags,
    tracked: flags,
    ipSystem: flags,
    registration: ["off", "until_limit", "first_only"],
    address: ["new", "registered"],
    slots: ["none taken", "some taken", "all taken"],
  };
  const all = Object.entries(values).reduce<object[]>(
    (cases, [name, options]) => cases.flatMap((one) => options.map((value) => ({ ...one, [name]: value }))),
    [{}],
  ) as Case[];
  // A registered address has a slot.
  return all.filter(({ address, slots }) => address === "new" || slots !== "none taken");
}

function fits(one: Case, when: Partial<Case>): boolean {
  return Object.entries(when).every(([name, value]) => one[name as keyof Case] === value);
}
