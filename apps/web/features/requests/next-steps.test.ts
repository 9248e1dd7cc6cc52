import { describe, expect, test } from "bun:test";
import { requestOutcomes } from "@countersign/domain/validate/outcome";
import words from "../../i18n/en/requests.json";
import { nextSteps } from "./next-steps.ts";

const request = { product_id: "p", license_id: "l", license_key: "KEY", ip: "2001:db8::/64" };

describe("next steps after a refusal", () => {
  test("an IP address that is not registered is filled in where it can be registered", () => {
    const [step] = nextSteps({ ...request, outcome: "ip_not_registered" });
    expect(step).toMatchObject({ path: "licenses/l", search: { ip: "2001:db8::/64" } });
  });

  test("a network is one part of a path", () => {
    const [step] = nextSteps({ ...request, outcome: "ip_blocked" });
    expect(step?.path).toBe("ips/2001%3Adb8%3A%3A%2F64");
  });

  test("no step leads to a license that was deleted", () => {
    for (const outcome of requestOutcomes)
      for (const { path } of nextSteps({ ...request, license_key: null, outcome }))
        expect(path).not.toStartWith("licenses/");
  });

  test("every step has words", () => {
    const names = requestOutcomes.flatMap((outcome) => nextSteps({ ...request, outcome }));
    for (const { name } of names) expect(Object.keys(words.next)).toContain(name);
  });
});
