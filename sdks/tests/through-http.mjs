// For cases of the conformance suite that go through a web app: each question is a request to it, and what is said is
// what the app found about that request.
import assert from "node:assert/strict";

/**
 * `taken` holds the app's requests by their `x-call`, `licenseOf` says what the package found about one, and `routeFor`
 * where to ask with these details; null for what the package does not offer, which its client is asked then.
 */
export function throughHttp({ server, client, taken, licenseOf, routeFor }) {
  const base = `http://127.0.0.1:${server.address().port}`;
  let calls = 0;
  const check = async (key, details) => {
    const route = details.fresh === true ? null : routeFor(details);
    if (route === null) return client.check(key, details);
    calls += 1;
    const call = String(calls);
    const query = new URLSearchParams({ license_key: key, ...details });
    const response = await fetch(`${base}${route}?${query}`, { headers: { "x-call": call } });
    const body = await response.json();
    const license = licenseOf(taken.get(call));
    assert.equal(license?.key, key, "the key that the request came with");
    assert.deepEqual([response.status, body.error], answerFor(license), "what the caller is told");
    if (license.allowed) assert.equal(body.key, key, "the key that the handler was given");
    return license;
  };
  return {
    client,
    check,
    validate: async (key, details) => {
      if (details.fresh === true) return client.validate(key, details);
      const { result, error } = await check(key, details);
      if (error !== null) throw error;
      return result;
    },
    close: () => closed(server),
  };
}

/** Posts a delivery to an app, and closes it. What is wrong is what the app's package answers. */
export async function delivered(server, { headers, body }) {
  const response = await fetch(`http://127.0.0.1:${server.address().port}/hook`, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body,
  });
  const text = await response.text();
  await closed(server);
  return { status: response.status, body: text === "" ? null : JSON.parse(text) };
}

function answerFor({ allowed, result }) {
  if (allowed) return [200, undefined];
  return result === null ? [503, "license_unverified"] : [403, result.status];
}

function closed(server) {
  server.closeAllConnections();
  return new Promise((resolve) => server.close(resolve));
}
