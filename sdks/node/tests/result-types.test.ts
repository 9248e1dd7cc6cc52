import { expect, test } from "bun:test";
import { Countersign, type KnownStatus, type ValidateResult } from "../src/index.ts";
import { base, fakeFetch, key } from "./fake-server.ts";

interface Plan {
  readonly plan: { readonly name: string };
}

/** Compiles only if every known status is listed, and the rest is unknown. */
function adviceFor(result: ValidateResult<Plan>): string {
  switch (result.status) {
    case "active":
      return (result.valid satisfies true) ? "Welcome." : "";
    case "expired":
    case "ip_limit_reached":
    case "ip_not_registered":
      return (result.valid satisfies false) ? "" : "Open the portal.";
    case "license_not_found":
    case "revoked":
    case "ip_blocked":
    case "version_not_allowed":
    case "product_not_found":
    case "product_archived":
    case "product_disabled":
    case "org_suspended":
    case "billing_suspended":
      return "Contact support.";
    default:
      result.status satisfies Exclude<ValidateResult["status"], KnownStatus>;
      return `Not accepted: ${result.status}.`;
  }
}

test("results narrow by valid and by status, and custom has the type of the client", async () => {
  const answer = (status: string) => () =>
    Response.json({ valid: status === "active", status, custom: { plan: { name: "pro" } } });
  const { fetch } = fakeFetch(answer("active"), answer("seat_taken"));
  const client = new Countersign<Plan>({ ...base, fetch, cacheSeconds: 0 });
  const result = await client.validate(key);
  if (result.valid) expect(result.status satisfies "active").toBe("active");
  if (result.status === "active") expect(result.valid satisfies true).toBe(true);
  if (!result.valid) result.status satisfies Exclude<ValidateResult["status"], "active">;
  const name: string | undefined = result.custom?.plan.name;
  expect(name).toBe("pro");
  const unknown = await client.validate(key);
  expect([result, unknown].map(adviceFor)).toEqual(["Welcome.", "Not accepted: seat_taken."]);
  const { result: decided } = await client.check(key);
  expect(decided?.custom?.plan.name).toBe("pro");
  // A client with its own type is accepted where any is.
  const any: Pick<Countersign<unknown>, "validate" | "check"> = client;
  expect(any).toBe(client);
});
