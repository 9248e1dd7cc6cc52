import { matchForm } from "@countersign/domain/licenses/key";

/** A parsed validate body; every unusable member counts as absent. */
export interface ValidateBody {
  /** As sent, for the signature; empty if there is none. */
  readonly licenseKey: string;
  /** Null if no license can be looked up. */
  readonly keyMatch: string | null;
  readonly version: string | null;
  readonly deviceId: string | null;
  /** What is wrong with the body, for the caller's developer. */
  readonly problem: string | null;
}

export const maxBodyBytes = 16 * 1024;
const maxDeviceIdLength = 256;

/** Never fails: a malformed body identifies no license. */
export function readValidateBody(text: string): ValidateBody {
  const body = parseJson(text);
  if (body === undefined) return unusable("The body is not JSON. Send a JSON object with a license_key.");
  if (typeof body !== "object" || body === null || Array.isArray(body)) {
    return unusable("The body is not a JSON object. Send an object with a license_key.");
  }
  const { license_key: licenseKey, version, device_id: deviceId } = body as Record<string, unknown>;
  if (licenseKey === undefined)
    return unusable("The body has no license_key. Send the license key as a string.");
  if (typeof licenseKey !== "string")
    return unusable("license_key is not a string. Send the license key as a string.");
  return {
    licenseKey,
    keyMatch: asKeyMatch(licenseKey),
    version: typeof version === "string" ? version : null,
    deviceId: typeof deviceId === "string" && deviceId.length <= maxDeviceIdLength ? deviceId : null,
    problem: ignoredMember(version, deviceId),
  };
}

/** The form in which a request's license key is looked up, or null if no stored key can equal it. */
export function asKeyMatch(licenseKey: string): string | null {
  // PostgreSQL rejects text with a NUL, and no key contains one.
  return licenseKey.includes("\0") ? null : matchForm(licenseKey);
}

function ignoredMember(version: unknown, deviceId: unknown): string | null {
  if (version !== undefined && version !== null && typeof version !== "string") {
    return "version is not a string and was ignored.";
  }
  if (deviceId === undefined || deviceId === null) return null;
  if (typeof deviceId !== "string") return "device_id is not a string and was ignored.";
  return deviceId.length > maxDeviceIdLength
    ? `device_id is longer than ${maxDeviceIdLength} characters and was ignored.`
    : null;
}

function unusable(problem: string): ValidateBody {
  return { licenseKey: "", keyMatch: null, version: null, deviceId: null, problem };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** A body of unknown length, or null as soon as it exceeds the limit. */
export async function readChunks(body: ReadableStream<Uint8Array>): Promise<string | null> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body) {
    size += chunk.length;
    if (size > maxBodyBytes) return null;
    chunks.push(chunk);
  }
  return new TextDecoder().decode(Buffer.concat(chunks));
}
