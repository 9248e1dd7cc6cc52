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

/** Every fixed license key of the sandbox: of a product on a server, and of `countersign sandbox`. */
export function sandboxCases(): object[] {
  const setup = { api_key: "test", signing: "sandbox", outcome: { product: { signed_validation: 1 } } };
  return [
    sandboxCase("of a product", setup),
    sandboxCase("of the command countersign sandbox", { sandbox_server: true }),
  ];
}

function sandboxCase(whose: string, real: object): object {
  return {
    name: `every fixed license key of the sandbox ${whose} has its result, signed with the sandbox's secret`,
    client: { allow_sandbox: true },
    answers: [{ real }],
    steps: sandboxLicenses.flatMap(({ licenseKey, status, httpStatus, lookupHttpStatus }) => [
      {
        validate: { license_key: licenseKey },
        expect:
          httpStatus === 200
            ? { result: { valid: status === "active", status } }
            : { error: { kind: errorKinds[httpStatus] } },
      },
      {
        lookup: { license_key: licenseKey },
        expect:
          lookupHttpStatus === 200
            ? { license: { license_key: licenseKey } }
            : { error: { kind: errorKinds[lookupHttpStatus] } },
      },
    ]),
  };
}

const errorKinds: Readonly<Record<number, string>> = {
  401: "authentication",
  404: "not_found",
  429: "rate_limit",
  503: "server",
};
