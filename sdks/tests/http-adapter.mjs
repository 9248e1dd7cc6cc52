// Runs conformance cases through a web app: each validation is a request to the app, and its result is the one that the
// app's package attached to that request.
import assert from "node:assert/strict";

/**
 * `received` holds the app's requests by their `x-call` header, and `licenseOf` returns the package's result for one.
 * `routeFor` returns the route for these details; null for what the package does not offer: then the client is called.
 */
export function httpAdapter({ server, client, received, licenseOf, routeFor }) {
  const base = `http://127.0.0.1:${server.address().port}`;
  let calls = 0;
  const check = async (key, details) => {
    const route = isForRequest(key, details) ? routeFor(details) : null;
    if (route === null) return client.check(key, details);
    calls += 1;
    const call = String(calls);
    const query = new URLSearchParams({ license_key: key, ...details });
    const response = await fetch(`${base}${route}?${query}`, { headers: { "x-call": call } });
    const body = await response.json();
    const license = licenseOf(received.get(call));
    assert.equal(license?.key, key, "the key of the request");
    assert.deepEqual([response.status, body.error], expectedResponse(license), "the app's response");
    if (license.allowed) assert.equal(body.key, key, "the key passed to the handler");
    return license;
  };
  return {
    client,
    check,
    validate: async (key, details) => {
      if (!isForRequest(key, details)) return client.validate(key, details);
      const { result, error } = await check(key, details);
      if (error !== null) throw error;
      return result;
    },
    close: () => close(server),
  };
}

/** Whether a request can ask for this. It has no options of a call, and its key is text that a URL can contain. */
function isForRequest(key, { version: _, deviceId: __, ...others }) {
  return Object.keys(others).length === 0 && (key ?? "").trim() !== "" && !/\p{Surrogate}/u.test(key);
}

/** Posts a delivery to an app, closes the app and returns its response. */
export async function deliverTo(server, { headers, body }) {
  const response = await fetch(`http://127.0.0.1:${server.address().port}/hook`, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body,
  });
  const text = await response.text();
  await close(server);
  return { status: response.status, body: text === "" ? null : JSON.parse(text) };
}

/** Rejects every license with a status that the portal solves. */
export async function rejectingFetch() {
  return Response.json({ valid: false, status: "ip_limit_reached" });
}

/** Sends a license key to an app that responds to rejections with the portal's URL, and closes the app. */
export async function portalUrlFrom(server, key) {
  const response = await fetch(`http://127.0.0.1:${server.address().port}/portal`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ license_key: key }),
  });
  const { url, message } = await response.json();
  await close(server);
  if (response.status === 400) throw new TypeError(message);
  assert.equal(response.status, 403);
  return url;
}

function expectedResponse({ allowed, result, error }) {
  if (allowed) return [200, undefined];
  if (result !== null) return [403, result.status];
  const isMisconfigured = ["AuthenticationError", "SandboxError"].includes(error.name);
  return isMisconfigured ? [500, "license_misconfigured"] : [503, "license_unverified"];
}

function close(server) {
  server.closeAllConnections();
  return new Promise((resolve) => server.close(resolve));
}
