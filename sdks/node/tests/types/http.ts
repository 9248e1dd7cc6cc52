// Handlers that require a license, as an app would write them.
import { Countersign } from "@countersign/node";
import { LicenseDecider, licenseGate, refusalOf } from "@countersign/node/http";

const client = new Countersign({ apiKey: "csk_test", baseUrl: "https://license.example.com" });

const gate = licenseGate({
  client,
  key: { query: "license" },
  address: (request) => request.headers.get("x-real-ip"),
  unknownKeysPerMinute: 20,
});

export async function status(url: string, headers: { get(name: string): string | null }): Promise<string> {
  const license = await gate({ url, headers });
  return license.allowed ? (license.result?.status ?? "") : `${license.status} ${license.code}`;
}

const licenses = new LicenseDecider({ client, logger: {} });

export async function refusalBody(headers: Record<string, string>): Promise<object | null> {
  const license = await licenses.decide({ headers, ip: "203.0.113.7" });
  return license.allowed ? null : refusalOf(license).body;
}
