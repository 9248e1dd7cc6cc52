// Runs the parts of ../../conformance that need no server: webhook deliveries and URLs of the portal.
import assert from "node:assert/strict";
import { directAdapter } from "./direct-adapter.mjs";

export async function runWebhook(
  sdk,
  { name, now, secrets, headers, body, body_is_parsed: isParsed = false, expect, ...rest },
  adapter = directAdapter(sdk),
) {
  assert.deepEqual(Object.keys(rest), [], `${name}: the case has members that this runner does not know`);
  const nowMs = () => new Date(now).getTime();
  const { event, reason } = await adapter.verify({ body, headers, isParsed, secret: secrets, nowMs });
  if (expect.error !== undefined) assert.deepEqual({ kind: "webhook", reason }, expect.error);
  else assert.deepEqual({ ...event, timestamp: event?.timestamp.toISOString() }, expect.event);
}

export async function runPortalUrl(
  sdk,
  { name, base_url: baseUrl, license_key: key, expect, ...rest },
  adapter = directAdapter(sdk),
) {
  assert.deepEqual(Object.keys(rest), [], `${name}: the case has members that this runner does not know`);
  const sendNothing = () => assert.fail("a request was sent");
  let actual;
  try {
    actual = { url: await adapter.portalUrl({ apiKey: "csk_test", baseUrl, fetch: sendNothing }, key) };
  } catch (error) {
    if (!(error instanceof TypeError) || !error.message.startsWith("licenseKey must be ")) throw error;
    actual = { error: { kind: "invalid_argument" } };
  }
  assert.deepEqual(actual, expect);
}

export async function runSignedWebhook(sdk, { name, secret, id, timestamp, body, expect, ...rest }) {
  assert.deepEqual(Object.keys(rest), [], `${name}: the case has members that this runner does not know`);
  const bytes = new TextEncoder().encode(body);
  for (const one of [body, bytes, bytes.slice().buffer]) {
    const signed = sdk.signWebhook(one, { secret, id, timestamp });
    assert.deepEqual(signed, { body, headers: expect.headers });
    const { id: verifiedId } = sdk.verifyWebhook(signed.body, signed.headers, {
      secret,
      nowMs: () => timestamp * 1_000,
    });
    assert.equal(verifiedId, id);
  }
}

/** `deviceIdFrom` is the SDK's own function of these facts. */
export function runDeviceId(
  deviceIdFrom,
  { name, app, machine_ids, hostname, environment, override, expect, ...rest },
) {
  assert.deepEqual(Object.keys(rest), [], `${name}: the case has members that this runner does not know`);
  const facts = { machineIds: machine_ids, hostname, environment, override };
  assert.deepEqual({ device_id: deviceIdFrom(app, facts) }, expect);
}
