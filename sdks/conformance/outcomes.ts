import { sandboxLicenses } from "@countersign/domain/sandbox/license-keys";
import { outcomeRows } from "../../tests/http/outcome-rows.ts";

/** A case for every verdict of the server. */
export function outcomeCases(): object[] {
  return outcomeRows.map(({ name, status, version, expected = {} }) => ({
    name,
    answers: [{ real: { outcome: name } }],
    steps: [
      {
        validate: version === undefined ? {} : { version },
        expect: {
          result: {
            valid: status === "active",
            status,
            expires: null,
            ip_registered: null,
            ip_count: null,
            max_ips: null,
            version: null,
            version_valid: null,
            custom: null,
            ...expected,
            source: "server",
          },
        },
      },
    ],
  }));
}

/** A case for every fixed license key of the sandbox. */
export function sandboxCase(): object {
  return {
    name: "every fixed license key of the sandbox has its result, signed with the sandbox's secret",
    client: { allow_sandbox: true },
    answers: [
      { real: { api_key: "test", signing: "sandbox", outcome: { product: { signed_validation: 1 } } } },
    ],
    steps: sandboxLicenses.map(({ licenseKey, status, httpStatus }) => ({
      validate: { license_key: licenseKey },
      expect:
        httpStatus === 200
          ? { result: { valid: status === "active", status } }
          : { error: { kind: errorKinds[httpStatus] } },
    })),
  };
}

const errorKinds: Readonly<Record<number, string>> = {
  401: "authentication",
  429: "rate_limit",
  503: "server",
};
