import { expect, test } from "bun:test";
import { addPassword } from "@countersign/store/queries/identity/sign-in";
import { addUser } from "@countersign/store/queries/identity/users";
import { sqlite } from "../../../../../tests/support/databases.ts";
import { openOwnOrganization } from "../../../../../tests/support/own-organization.ts";
import { cheapHash } from "../../../../../tests/support/sign-in-fixture.ts";
import { readConfig } from "../../../base/config.ts";
import { createLog } from "../../../base/log.ts";
import { LazyIdentity } from "./lazy-identity.ts";

test("cookies are bound to the host and to https if the server's URL is https", async () => {
  const { store, close } = await openOwnOrganization(sqlite.make);
  const [email, password] = ["ada@example.com", "a good password"];
  const user = { id: "u", name: "Ada", email, emailVerified: true, isPlatformAdmin: false };
  await store.transaction(async (db) => {
    await addUser(db, user, Date.now());
    await addPassword(db, { id: "p", userId: user.id, hash: cheapHash(password) }, Date.now());
  });
  const origin = "https://license.example.com";
  const log = createLog({ level: "error", pretty: false, now: Date.now, write: () => {} });
  const identity = await LazyIdentity.prepare(store, readConfig({ COUNTERSIGN_URL: origin }), log);
  const send = (method: string, path: string, headers: Record<string, string>, body?: object) => {
    const content = body === undefined ? null : JSON.stringify(body);
    const request = new Request(`${origin}/api/auth${path}`, { method, headers, body: content });
    return identity.handle(request, "192.0.2.1", "a request");
  };
  const json = { origin, "content-type": "application/json" };
  const answer = await send("POST", "/sign-in/email", json, { email, password });
  expect(answer.status).toBe(200);
  const [cookie = "", device] = answer.headers.getSetCookie();
  expect(cookie).toMatch(
    /^__Host-countersign\.session_token=[^;]+; Max-Age=\d+; Path=\/; HttpOnly; Secure; SameSite=Lax$/,
  );
  expect(device).toMatch(
    /^__Host-countersign\.device=[\w.-]+; Max-Age=\d+; Path=\/; HttpOnly; Secure; SameSite=Lax$/,
  );
  const session = await send("GET", "/get-session", { cookie: cookie.split(";")[0] ?? "" });
  expect(await session.json()).toMatchObject({ user: { email } });
  await close();
});
