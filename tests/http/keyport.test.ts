import { beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { sandboxLicenses } from "@countersign/domain/sandbox/license-keys";
import { validateStatuses } from "@countersign/domain/validate/status";
import { callKeyPort, howToGetKeyPort, type KeyPortCall, keyPortPython } from "../support/keyport.ts";
import { openManageFixture } from "../support/manage-fixture.ts";
import { skipWithReason } from "../support/skip.ts";
import { openTestOrganization } from "../support/test-organization.ts";
import { testsOn } from "../support/tests-on.ts";
import { arrange, expectedBody } from "./arrange-outcome.ts";
import { outcomeRows } from "./outcome-rows.ts";

setDefaultTimeout(120_000);

/** What KeyPort's client raises for the HTTP statuses that it does not return. */
const raised: Readonly<Record<number, object>> = {
  401: { raised: "KeyPortAuthError", status: 401, code: "invalid_api_key" },
  404: { raised: "KeyPortError", message: expect.stringContaining("404 Not Found") },
  429: {
    ...{ raised: "KeyPortRateLimitError", status: 429, code: "rate_limit_exceeded" },
    ...{ retry_after: expect.any(Number), message: expect.stringContaining("midnight UTC") },
  },
  503: { raised: "KeyPortError", message: expect.stringContaining("503 Service Unavailable") },
};

if (keyPortPython === null) skipWithReason("KeyPort's client for Python", howToGetKeyPort);
else
  testsOn("sqlite", "KeyPort's client for Python, with another base_url", openManageFixture, (fixture) => {
    const expected: [name: string, outcome: object][] = [];
    let run: ReturnType<typeof callKeyPort>;

    beforeAll(async () => {
      const calls: KeyPortCall[] = [];
      const base_url = `${fixture.url}/api/v1`;
      const add = (name: string, call: Omit<KeyPortCall, "base_url">, outcome: object) => {
        calls.push({ base_url, ...call });
        expected.push([name, outcome]);
      };
      const made = (settings: Parameters<typeof openTestOrganization>[1] = {}) =>
        openTestOrganization(null, { ...settings, store: fixture.store });
      const returned = (body: object) => ({ returned: body });
      const validate = (api_key: string, ...args: (string | null)[]): Omit<KeyPortCall, "base_url"> => {
        return { api_key, method: "validate", arguments: args };
      };
      const lookup = (api_key: string, key: string): Omit<KeyPortCall, "base_url"> => {
        return { api_key, method: "get_license", arguments: [key] };
      };

      for (const row of outcomeRows) {
        const org = await made({ settings: row.product ?? {} });
        const { key } = await arrange(org, row);
        const call = validate(org.apiKey, key, row.version ?? null, "device-1");
        add(row.name, call, returned(JSON.parse(expectedBody(row))));
      }

      const org = await made();
      const key = 'odd key/ü?#%"';
      const { id } = await org.license({ key, maxIps: 2 });
      const record = { id, license_key: key, status: "active", max_ips: 2 };
      const fromFile = { ...lookup(org.apiKey, key), config_file: true } as const;
      add("a lookup", lookup(org.apiKey, key), returned(expect.objectContaining(record)));
      add("a client from a file", fromFile, returned(expect.objectContaining(record)));
      add("a lookup of an unknown key", lookup(org.apiKey, "none"), raised[404] ?? {});
      add("a wrong API key", validate(`${org.apiKey.slice(0, -1)}!`, key), raised[401] ?? {});
      add("a lookup with a wrong API key", lookup("kp_live_abc", key), raised[401] ?? {});
      const exhausted = await made({ dailyLimit: 0 });
      add("a used up daily limit", validate(exhausted.apiKey, key), raised[429] ?? {});
      add("a lookup after the daily limit", lookup(exhausted.apiKey, key), raised[429] ?? {});
      const signed = await made({ settings: { signed_validation: 1 } });
      const { key: signedKey } = await signed.license();
      const signature = expect.stringMatching(/^t=\d+,n=,k=[0-9a-f]+,v1=[0-9a-f]{64}$/);
      const body = expect.objectContaining({ valid: true, signature });
      add("a signed response", validate(signed.apiKey, signedKey), returned(body));

      const path = `/products/${fixture.productId}/sandbox`;
      const sandboxKey = String((await fixture.owner.api.get(path)).body.api_key);
      for (const { licenseKey, status, httpStatus } of sandboxLicenses) {
        const outcome = raised[httpStatus] ?? returned(expect.objectContaining({ status }));
        add(`the sandbox's ${licenseKey}`, validate(sandboxKey, licenseKey), outcome);
      }
      run = callKeyPort(calls);
    });

    test("every outcome of validating and looking up is returned or raised as with KeyPort", () => {
      expect(run.outcomes).toHaveLength(expected.length);
      for (const [index, [name, outcome]] of expected.entries())
        expect(run.outcomes[index], name).toEqual(expect.objectContaining(outcome));
    });

    test("every status occurred, and the client's types know all but version_not_allowed", () => {
      const statuses = run.outcomes.flatMap(({ returned, code }) =>
        returned === undefined ? code : (returned as { status: unknown }).status,
      );
      expect(validateStatuses.filter((status) => !statuses.includes(status))).toEqual([]);
      expect(validateStatuses.filter((status) => !run.known.statuses.includes(status))).toEqual([
        "version_not_allowed",
      ]);
    });

    test("the client's types list the members of both responses", () => {
      const [validation, record] = ["a lifetime license is active", "a lookup"].map((start) => {
        const index = expected.findIndex(([name]) => name.startsWith(start));
        return Object.keys(run.outcomes[index]?.returned ?? {}).sort();
      });
      const onErrors = ["message", "retry_after"];
      expect(validation).toEqual(run.known.validate.filter((name) => !onErrors.includes(name)).sort());
      expect(record).toEqual([...run.known.lookup].sort());
    });
  });
