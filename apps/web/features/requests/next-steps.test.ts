import { describe, expect, test } from "bun:test";
import { requestOutcomes } from "@countersign/domain/validate/status";
import words from "../../i18n/en/requests.json";
import { paths } from "../../session/paths.ts";
import { nextSteps } from "./next-steps.ts";

const request = { product_id: "p", license_id: "l", license_key: "KEY", ip: "2001:db8::/64" };

describe("next steps after a refusal", () => {
  test("an IP address that is not registered is filled in where it can be registered", () => {
    const [step] = nextSteps({ ...request, outcome: "ip_not_registered" }, "acme");
    expect(step?.page).toEqual(paths.license("acme", "l", { ip: "2001:db8::/64" }));
  });

  test("a network has a page like an IP address", () => {
    const [step] = nextSteps({ ...request, outcome: "ip_blocked" }, "acme");
    expect(step?.page).toEqual(paths.ip("acme", "2001:db8::/64"));
  });

  test("no step leads to a license that was deleted", () => {
    for (const outcome of requestOutcomes)
      for (const { page } of nextSteps({ ...request, license_key: null, outcome }, "acme"))
        expect(page.to).not.toBe(paths.license("acme", "l").to);
  });

  test("every step has words", () => {
    const names = requestOutcomes.flatMap((outcome) => nextSteps({ ...request, outcome }, "acme"));
    for (const { name } of names) expect(Object.keys(words.next)).toContain(name);
  });
});
