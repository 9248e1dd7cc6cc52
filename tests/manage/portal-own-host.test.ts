import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { Browser } from "../support/browser.ts";
import { on } from "../support/databases.ts";
import { type FakeDiscord, startFakeDiscord } from "../support/fake-discord.ts";
import { freePort } from "../support/free-port.ts";
import { newestCode, PortalClient, signedInWith } from "../support/portal-client.ts";
import { openPortalFixture, type PortalFixture } from "../support/portal-fixture.ts";
import { addPortalPerson } from "../support/portal-rows.ts";
import { openDashboardSession } from "../support/sign-in-fixture.ts";

setDefaultTimeout(60_000);

const page = { accept: "text/html" };

describe.each(on("postgres"))("a portal with its own host on $kind", ({ make }) => {
  let discord: FakeDiscord;
  let fixture: PortalFixture;
  let portalUrl: string;
  beforeAll(async () => {
    discord = await startFakeDiscord();
    const port = String(await freePort());
    // Two names of one server: to a browser, they are two hosts.
    portalUrl = `http://localhost:${port}`;
    fixture = await openPortalFixture(make, {
      why: "the portal has its own host",
      environment: {
        ...discord.settings,
        PORT: port,
        COUNTERSIGN_PORTAL_URL: portalUrl,
      },
    });
  });
  afterAll(async () => {
    await fixture.close();
    discord.close();
  });

  const mainUrl = () => fixture.url;
  const onPortal = () => new PortalClient(portalUrl);
  const get = (url: string, headers: Record<string, string> = page) =>
    fetch(url, { headers, redirect: "manual" });
  const isPortal = async (answer: Response) => {
    const html = await answer.text();
    expect({ status: answer.status, isPage: html.includes("<html") }).toEqual({ status: 200, isPage: true });
    return html.includes('name="portal-base"');
  };
  const signedInOnPortal = (email: string) =>
    signedInWith({ store: fixture.store, server: { url: portalUrl } }, { emails: [email] });

  test("the portal's host serves the portal at /, the main host the dashboard", async () => {
    for (const path of ["/", "/licenses", "/open", "/sign-in/link", "/?seller=acme"]) {
      const answer = await get(portalUrl + path);
      expect(await answer.text()).toContain('<meta name="portal-base" content="" />');
    }
    expect(await isPortal(await get(mainUrl()))).toBe(false);
    expect(await isPortal(await get(`${mainUrl()}/sign-in`))).toBe(false);
  });

  test("the portal's path on the main host redirects to the portal's host", async () => {
    for (const [path, target] of [
      ["/portal", "/"],
      ["/portal/", "/"],
      ["/portal/open", "/open"],
      ["/portal/licenses/x?from=app", "/licenses/x?from=app"],
      ["/portal?seller=acme", "/?seller=acme"],
    ] as const) {
      const answer = await get(mainUrl() + path);
      expect([path, answer.status, answer.headers.get("location")]).toEqual([path, 302, portalUrl + target]);
    }
  });

  test("pages of the dashboard and the API reference are the portal's not-found page on its host", async () => {
    for (const path of ["/admin", "/o/acme", "/setup", "/sign-up", "/docs", "/nothing"])
      expect([path, await isPortal(await get(portalUrl + path))]).toEqual([path, true]);
    for (const path of ["/admin", "/docs", "/openapi.json"])
      expect([path, (await get(portalUrl + path, { accept: "application/json" })).status]).toEqual([
        path,
        404,
      ]);
    expect((await get(`${mainUrl()}/docs`)).status).toBe(200);
    // Errors of the portal's API link to their descriptions.
    expect((await get(`${portalUrl}/problems/wrong_origin`)).status).toBe(200);
  });

  test("a caller cannot choose the site with a header", async () => {
    const answer = await get(mainUrl(), { ...page, "x-countersign-site": "portal" });
    expect(await isPortal(answer)).toBe(false);
  });

  test("a customer signs in with the code on the portal's host, and the cookie is for that host only", async () => {
    const email = await fixture.customer();
    const client = onPortal();
    const asked = await client.post("/sign-in", { email });
    const { code, link } = await newestCode(fixture.store, email);
    expect(link).toStartWith(`${portalUrl}/sign-in/link#`);
    const answer = await client.post("/sign-in/verify", { email, code });
    expect(answer.status).toBe(200);
    const cookies = [...asked.headers.getSetCookie(), ...answer.headers.getSetCookie()];
    expect(cookies.length).toBeGreaterThan(1);
    for (const cookie of cookies) {
      expect(cookie).not.toMatch(/domain=/i);
      expect(cookie).toContain("; Path=/; HttpOnly; SameSite=Lax");
    }
    expect((await client.get("/me")).body.identities).toMatchObject([{ value: email }]);
    expect((await client.post("/sign-out", {})).status).toBe(204);
    expect((await client.get("/me")).status).toBe(401);
  });

  test("the link in the email leads to the portal's host and signs in there", async () => {
    const email = await fixture.customer();
    expect((await onPortal().post("/sign-in", { email, next: "/transfers" })).status).toBe(202);
    const { link, token } = await newestCode(fixture.store, email);
    expect(link).toStartWith(`${portalUrl}/sign-in/link#${token}`);
    expect(await isPortal(await get(link))).toBe(true);
    const other = onPortal();
    expect((await other.post("/sign-in/link", { token })).status).toBe(200);
    expect((await other.get("/me")).status).toBe(200);
  });

  test("signing in with Discord leads back to the portal's host", async () => {
    const client = onPortal();
    const started = await client.post("/sign-in/discord", { next: "/transfers" });
    const url = new URL(started.body.url);
    expect(url.searchParams.get("redirect_uri")).toBe(`${portalUrl}/api/portal/v1/sign-in/discord/callback`);
    const who = { id: "80000000000000001", username: "grace", email: null, verified: false };
    const back = await client.browser.send("GET", discord.approve(url.href, who));
    expect([back.status, back.headers.get("location")]).toEqual([302, `${portalUrl}/transfers`]);
    expect((await client.get("/me")).status).toBe(200);
  });

  test("the portal's API accepts changes only from the portal's origin", async () => {
    const email = await fixture.customer();
    const client = await signedInOnPortal(email);
    for (const origin of [mainUrl(), "https://elsewhere.example", "null", ""]) {
      const answer = await client.post("/sign-out", { everywhere: true }, { origin });
      expect([origin, answer.status, answer.body.code]).toEqual([origin, 403, "wrong_origin"]);
    }
    const anonymous = await onPortal().post("/sign-in", { email }, { origin: mainUrl() });
    expect([anonymous.status, anonymous.body.code]).toEqual([403, "wrong_origin"]);
    // The main host is no way around it.
    const main = new PortalClient(mainUrl());
    expect((await main.post("/sign-in", { email })).body.code).toBe("wrong_origin");
    expect((await client.get("/me")).status).toBe(200);
  });

  test("the management and sign-in APIs refuse the portal's origin, and are not on its host", async () => {
    const { owner, organizationId } = fixture;
    const cookie = await openDashboardSession({ store: fixture.store, url: mainUrl() }, owner);
    const path = `/organizations/${organizationId}`;
    const main = new Browser(mainUrl(), "198.18.254.1");
    expect((await main.manage("PATCH", path, { name: "Mine" }, { cookie })).status).toBe(200);
    const fromPortal = await main.manage("PATCH", path, { name: "Theirs" }, { cookie, origin: portalUrl });
    expect([fromPortal.status, fromPortal.body.code]).toEqual([403, "wrong_origin"]);
    const signIn = { email: owner.email, password: "wrong" };
    const auth = await main.auth("/sign-in/email", signIn, { origin: portalUrl });
    expect([auth.status, auth.body.code]).toEqual([403, "wrong_origin"]);

    const other = new Browser(portalUrl, "198.18.254.2");
    for (const origin of [portalUrl, mainUrl()]) {
      expect((await other.manage("PATCH", path, { name: "Theirs" }, { cookie, origin })).status).toBe(404);
      expect((await other.auth("/sign-in/email", signIn, { origin })).status).toBe(404);
    }
    expect((await other.manage("GET", path, undefined, { cookie })).status).toBe(404);
    const authorization = `Bearer ${owner.token}`;
    expect((await other.manage("GET", path, undefined, { authorization })).status).toBe(404);
    expect((await main.manage("GET", path, undefined, { cookie })).body.name).toBe("Mine");
  });

  test("a dashboard session does not open the portal, and a portal session does not open the dashboard", async () => {
    const { store } = fixture;
    const dashboard = await openDashboardSession({ store, url: mainUrl() }, await fixture.person());
    expect((await onPortal().get("/me", { cookie: dashboard })).status).toBe(401);
    const { cookie } = await addPortalPerson(store, { emails: [await fixture.customer()] });
    expect((await onPortal().get("/me", { cookie })).status).toBe(200);
    const main = new Browser(mainUrl(), "198.18.254.3");
    expect((await main.manage("GET", "/me", undefined, { cookie })).status).toBe(401);
  });

  test("a seller sees the portal's host as its URL, and what its preview needs is on both hosts", async () => {
    const branding = await fixture.owner.api.get(`/organizations/${fixture.organizationId}/branding`);
    expect(branding.body.portal_url).toStartWith(`${portalUrl}/?seller=`);
    const path = "/api/portal/v1/options";
    expect((await get(portalUrl + path, {})).status).toBe(200);
    expect((await get(mainUrl() + path, {})).status).toBe(200);
  });
});
