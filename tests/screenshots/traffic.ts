/** A license, as the management API lists it. */
export interface License {
  readonly id: string;
  readonly license_key: string;
  readonly status: string;
  readonly customer_email: string | null;
}

/** An app that customers use. */
export interface App {
  readonly apiKey: string;
  readonly licenses: readonly License[];
}

interface Traffic {
  readonly url: string;
  readonly apps: readonly App[];
  readonly random: () => number;
  readonly count: number;
}

/** Validations, as apps of customers send them. */
export async function sendRequests({ url, apps, random, count }: Traffic): Promise<void> {
  for (let sent = 0; sent < count; sent += 1) {
    const { apiKey, licenses } = apps[random() < 0.75 ? 0 : 1] ?? noApp;
    const license = licenseOf(licenses, random);
    if (license === undefined) continue;
    const isUnknown = random() < 0.03;
    const machine = random() < 0.05 ? 2 : random() < 0.15 ? 1 : 0;
    const response = await fetch(`${url}/api/v1/validate`, {
      method: "POST",
      headers: {
        authorization: `Bearer ${apiKey}`,
        "content-type": "application/json",
        "x-forwarded-for": ipOf(license, machine),
      },
      body: JSON.stringify({
        license_key: isUnknown ? "7QXK-44PT-ZZ0M-N3WD" : license.license_key,
        version: versions[Math.floor(random() * versions.length)],
        device_id: machine === 0 ? "studio" : machine === 1 ? "laptop" : "new-laptop",
      }),
    });
    await response.body?.cancel();
  }
}

const noApp: App = { apiKey: "", licenses: [] };
const versions = ["4.2.1", "4.2.1", "4.2.1", "4.2.0", "4.1.3", "3.9.4"];

/** Some customers use the app more than others; few try licenses that are not valid any more. */
function licenseOf(licenses: readonly License[], random: () => number): License | undefined {
  const license = licenses[Math.floor(random() ** 1.7 * licenses.length)];
  return license?.status === "active" || random() < 0.3 ? license : licenseOf(licenses, random);
}

/** Networks that are reserved for documentation, in cities. */
export const places = {
  "203.0.113.0/26": { country: "DE", latitude: 52.5, longitude: 13.4 },
  "203.0.113.64/26": { country: "SE", latitude: 59.3, longitude: 18.1 },
  "203.0.113.128/25": { country: "US", latitude: 40.7, longitude: -74 },
  "198.51.100.0/25": { country: "DE", latitude: 48.1, longitude: 11.6 },
  "198.51.100.128/25": { country: "JP", latitude: 35.7, longitude: 139.7 },
  "192.0.2.0/24": { country: "BR", latitude: -23.5, longitude: -46.6 },
};

/** Where the app of a license runs: on the first machine of its customer, the second, or one that it has not seen. */
function ipOf(license: License, machine: 0 | 1 | 2): string {
  const number = [...license.license_key].reduce(
    (sum, letter) => (31 * sum + letter.charCodeAt(0)) % 9973,
    7,
  );
  if (machine === 2) return `192.0.2.${1 + ((number * 7) % 250)}`;
  // The one whose IP addresses are registered already.
  if (license.customer_email === "ada.lindqvist@example.com")
    return machine === 0 ? "203.0.113.24" : "198.51.100.7";
  return machine === 0 ? `203.0.113.${1 + ((number * 37) % 250)}` : `198.51.100.${1 + ((number * 13) % 250)}`;
}
