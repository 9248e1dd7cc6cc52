import { describe, expect, test } from "bun:test";
import { createHmac } from "node:crypto";
import type { Store } from "@countersign/store/store";
import { readConfig } from "../../../base/config.ts";
import { Devices } from "../../../limits/devices.ts";
import { FloodLimits } from "../../../limits/flood-limits.ts";
import { AuthGate } from "./auth-gate.ts";

const secret = "a secret of this test";
const url = "http://127.0.0.1:3000";

function openGate(now = () => 0) {
  // A store without methods: any query of the gate would fail.
  const flood = new FloodLimits({} as Store, now);
  const devices = new Devices(url, secret);
  const gate = new AuthGate(readConfig({ COUNTERSIGN_URL: url }), flood, devices, secret);
  const knock = (path: string, ip: string, headers: Record<string, string> = {}) => {
    const body = new ReadableStream({ pull: () => Promise.reject(new Error("The body was read.")) });
    const request = new Request(`${url}/api/auth${path}`, { method: "POST", body, headers });
    return gate.admit(request, ip, "a request");
  };
  return { devices, knock };
}

const from = (number: number) => `10.0.${number >> 8}.${number & 255}`;
const signed = (value: string) =>
  encodeURIComponent(`${value}.${createHmac("sha256", secret).update(value).digest("base64")}`);

describe("the auth gate", () => {
  test("an IP address over its limit is refused, whatever it claims to be, and others are not affected", () => {
    const { knock } = openGate();
    const answers = Array.from({ length: 500 }, (_, time) => {
      const forged = { "x-countersign-ip": `10.0.0.${time}`, "x-forwarded-for": `10.0.0.${time}` };
      return knock("/sign-in/email", "192.0.2.1", forged);
    });
    expect(answers.filter((answer) => "route" in answer)).toHaveLength(60);
    expect(answers.at(-1)).toEqual({ retryAfterSeconds: 300 });
    expect(knock("/sign-in/email", "192.0.2.2")).toMatchObject({ route: { id: "signIn" } });
  });

  test("anonymous requests beyond a hundred a second are refused, and signed-in users are not affected", () => {
    let nowMs = -1_000;
    const { knock } = openGate(() => nowMs);
    for (nowMs of [0, 1_000]) {
      const answers = Array.from({ length: 500 }, (_, number) =>
        knock("/sign-in/email", from(nowMs + number)),
      );
      expect(answers.filter((answer) => "route" in answer)).toHaveLength(100);
    }
    const cookies = (value: string) => ({ cookie: `a=1; countersign.session_token=${value}`, origin: url });
    expect(knock("/sign-out", "192.0.2.3", cookies(signed("of a session")))).toHaveProperty("route");
    for (const value of ["made-up", "made.up", signed("x").replace(/^x/, "y"), "%", signed("")])
      expect(knock("/sign-out", "192.0.2.3", cookies(value))).toEqual({ retryAfterSeconds: 1 });
    // An unknown path does not bypass the limit.
    expect(knock("/no-such-thing", "192.0.2.4")).toEqual({ retryAfterSeconds: 1 });
  });

  test("a known device is accepted during a flood, up to its owner's limit; a forged cookie counts as anonymous", () => {
    const { knock, devices } = openGate();
    const mark = devices.cookieFor("0190a000-user", null, Date.now()).split(";")[0] ?? "";
    const known = { cookie: mark, origin: url };
    for (let number = 0; number < 500; number++) knock("/sign-in/email", from(number));
    const answers = Array.from({ length: 70 }, (_, number) => knock("/sign-in/email", from(number), known));
    expect(answers.filter((answer) => "route" in answer)).toHaveLength(60);
    expect(answers[0]).toMatchObject({ claimedDevice: { userId: "0190a000-user" } });
    const [userId, id, issued, signature] = mark.slice(mark.indexOf("=") + 1).split(".");
    for (const forged of [
      `other.${id}.${issued}.${signature}`,
      `${userId}.${id}.${Number(issued) + 1}.${signature}`,
      `${userId}.${id}.${issued}.`,
      `${userId}.${id}.${issued}.${signature}.x`,
      "",
    ]) {
      const cookie = `countersign.device=${forged}`;
      expect(knock("/sign-in/email", "192.0.2.9", { cookie, origin: url })).toEqual({ retryAfterSeconds: 1 });
    }
  });

  test("requests from another site do not use up the limit of an IP address", () => {
    const { knock } = openGate();
    const fromElsewhere = () => knock("/sign-in/email", "192.0.2.1", { origin: "https://evil.example" });
    for (let time = 0; time < 90; time++)
      expect(fromElsewhere).toThrow(expect.objectContaining({ code: "wrong_origin" }));
    expect(knock("/sign-in/email", "192.0.2.1")).toHaveProperty("route");
  });
});
