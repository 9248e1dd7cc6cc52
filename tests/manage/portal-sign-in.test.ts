import { expect, test } from "bun:test";
import { portalCookie } from "../../apps/server/features/portal/session.ts";
import { AccountLimits } from "../../apps/server/limits/account-limits.ts";
import { problemOf } from "../support/answers.ts";
import { openedEmails } from "../support/emails.ts";
import { newestCode, PortalClient, signedInCustomer } from "../support/portal-client.ts";
import { openPortalFixture } from "../support/portal-fixture.ts";
import { testsOn } from "../support/tests-on.ts";
import { until } from "../support/until.ts";

/** What codes and links allow is tested without HTTP, in codes.test.ts of the server's portal and of the store. */
testsOn("sqlite", "signing in to the portal", openPortalFixture, (fixture) => {
  const client = () => new PortalClient(fixture.url);
  const ask = async (browser: PortalClient, email: string, body = {}) => {
    const answer = await browser.post("/sign-in", { email, ...body });
    expect(answer.status).toBe(202);
    return answer;
  };
  const cookiesOf = ({ headers }: { headers: Headers }) =>
    headers.getSetCookie().map((cookie) => cookie.replace(/=[^;]*/, "=…"));
  const codesOf = (email: string) => openedEmails(fixture.store, { to: email, kind: "portal_sign_in" });
  const tokenOf = ({ browser }: PortalClient) => browser.cookies.get("countersign_portal") ?? "";
  const isSignedIn = async (browser: PortalClient) => (await browser.get("/me")).status === 200;

  test("a customer signs in with the code from the email, and the cookies have exactly these attributes", async () => {
    const email = await fixture.customer();
    const browser = client();
    const asked = await ask(browser, email.toUpperCase());
    expect(asked.body).toEqual({ expires_in_seconds: 600 });
    expect(cookiesOf(asked)).toEqual([
      "countersign_portal_challenge=…; Max-Age=600; Path=/; HttpOnly; SameSite=Lax",
    ]);
    const { code } = await newestCode(fixture.store, email);
    const typed = `${code.slice(0, 3)} ${code.slice(3)}`;
    const answer = await browser.post("/sign-in/verify", { email, code: typed });
    expect([answer.status, answer.headers.get("cache-control")]).toEqual([200, "no-store"]);
    expect(cookiesOf(answer)).toEqual([
      "countersign_portal=…; Max-Age=2592000; Path=/; HttpOnly; SameSite=Lax",
      "countersign.portal_device=…; Max-Age=15552000; Path=/; HttpOnly; SameSite=Lax",
      "countersign_portal_challenge=…; Max-Age=0; Path=/; HttpOnly; SameSite=Lax",
    ]);
    const identities = [{ kind: "email", value: email }];
    expect(answer.body).toMatchObject({ signed_in_by: "email", identities });
    expect((await browser.get("/me")).body).toEqual(answer.body);
    const lastsMs = Date.parse(answer.body.session_expires_at) - Date.now();
    expect(lastsMs).toBeWithin(29.99 * 86_400_000, 30.01 * 86_400_000);
    const out = await browser.post("/sign-out", {});
    expect(out.status).toBe(204);
    expect(cookiesOf(out)).toEqual(["countersign_portal=…; Max-Age=0; Path=/; HttpOnly; SameSite=Lax"]);
  });

  test("the email with the code is in the chosen language, then the customer's, the browser's, and the seller's", async () => {
    const subjects = {
      en: "Your sign-in code",
      de: "Dein Anmeldecode",
      es: "Tu código de inicio de sesión",
    } as const;
    const email = await fixture.customer();
    const asked = async (body: object, browserLanguage: string) => {
      const browser = client();
      const headers = { "accept-language": browserLanguage };
      expect((await browser.post("/sign-in", { email, ...body }, headers)).status).toBe(202);
      return (await codesOf(email)).at(-1)?.subject;
    };
    expect(await asked({}, "fr")).toBe(subjects.en);
    expect(await asked({}, "fr, es;q=0.8")).toBe(subjects.es);
    expect(await asked({ language: "de" }, "es")).toBe(subjects.de);
    const browser = await signedInCustomer(fixture.url, fixture.store, email);
    expect((await browser.patch("/me", { locale: "de" })).status).toBe(200);
    expect(await asked({}, "es")).toBe(subjects.de);
    expect(await asked({ language: "es" }, "en")).toBe(subjects.es);
    expect((await client().post("/sign-in", { email, language: "fr" })).status).toBe(422);
  });

  test("with https, every cookie of the portal is bound to its host", () => {
    expect(portalCookie("https://portal.example.com", "countersign_portal", "x", 60)).toBe(
      "__Host-countersign_portal=x; Max-Age=60; Path=/; HttpOnly; Secure; SameSite=Lax",
    );
  });

  test("the link in the email signs in once, in any browser, and continues to the page that was asked for", async () => {
    const email = await fixture.customer();
    await ask(client(), email, { next: "/licenses/1?a=b&c=d" });
    const { link, token, code } = await newestCode(fixture.store, email);
    expect(link).toBe(`${fixture.url}/portal/sign-in/link#${token}&next=%2Flicenses%2F1%3Fa%3Db%26c%3Dd`);
    const other = client();
    expect((await other.post("/sign-in/link", { token })).status).toBe(200);
    expect((await other.get("/me")).body.identities).toMatchObject([{ value: email }]);
    expect(problemOf(await client().post("/sign-in/link", { token }))).toEqual([401, "invalid_link"]);
    expect((await client().post("/sign-in/verify", { email, code })).status).toBe(401);
  });

  test("an unknown email address gets the same responses, after the same time", async () => {
    const known = await fixture.customer();
    const answersFor = async (email: string) => {
      const browser = client();
      const startMs = performance.now();
      const answers = [await ask(browser, email)];
      expect(performance.now() - startMs).toBeGreaterThanOrEqual(595);
      for (const by of [...Array(6).fill(browser), client()])
        answers.push(await by.post("/sign-in/verify", { email, code: "000000" }));
      return answers.map(({ status, body: { request_id: _, ...rest } }) => [status, rest]);
    };
    const [answers = [], others] = await Promise.all([known, `nobody-${known}`].map(answersFor));
    expect(answers[1]).toMatchObject([401, { code: "wrong_sign_in_code" }]);
    expect(others).toEqual(answers);
  });

  test("a browser in which the customer has signed in before gets codes during a flood, for this customer only", async () => {
    const { store } = fixture;
    const [email, other] = [await fixture.customer(), await fixture.customer()];
    const known = await signedInCustomer(fixture.url, store, email);
    await fixture.signedIn(other);
    const limits = new AccountLimits(store);
    for (let time = 0; time < 20; time++) {
      const from = { ip: `10.8.7.${time}`, deviceId: null };
      for (const flooded of [email, other])
        await limits.check("portal_sign_in", flooded, from).catch(() => {});
    }
    await known.post("/sign-out", {});
    await known.signIn(store, email);
    await ask(known, other);
    expect([(await codesOf(email)).length, await codesOf(other)]).toEqual([2, []]);
  });

  test("one IP address is refused after a hundred sign-in requests, for ten minutes at most", async () => {
    const answers = await Promise.all(
      Array.from({ length: 105 }, (_, at) =>
        new PortalClient(fixture.url, "203.0.113.77").post("/sign-in", { email: `flood-${at}@example.com` }),
      ),
    );
    const refused = answers.filter(({ status }) => status === 429);
    expect(refused).toHaveLength(5);
    for (const { headers } of refused) expect(Number(headers.get("retry-after"))).toBeWithin(1, 601);
  });

  test("a flood of sign-ins from many IP addresses is refused beyond 200 requests a second, for a second", async () => {
    const email = await fixture.customer();
    const answers = await Promise.all(
      Array.from({ length: 500 }, () => client().post("/sign-in/verify", { email, code: "000000" })),
    );
    expect(answers.some(({ headers }) => headers.get("retry-after") === "1")).toBe(true);
    await until(
      "the next second accepts requests",
      async () => (await client().post("/sign-in", { email })).status === 202,
    );
  });

  test("the session token is new after every sign-in, and the previous session of the browser ends", async () => {
    const email = await fixture.customer();
    const browser = client();
    const planted = "A".repeat(43);
    browser.browser.cookies.set("countersign_portal", planted);
    await browser.signIn(fixture.store, email);
    const first = tokenOf(browser);
    expect(first).toMatch(/^[\w-]{43}$/);
    await browser.signIn(fixture.store, email);
    expect(new Set([planted, first, tokenOf(browser)]).size).toBe(3);
    const old = client();
    for (const token of [planted, first]) {
      old.browser.cookies.set("countersign_portal", token);
      expect(await isSignedIn(old)).toBe(false);
    }
    // It was the same person both times, who has one session left.
    expect((await browser.get("/me/sessions")).body.data).toHaveLength(1);
  });

  test("requests from other sites are refused, also before anyone has signed in", async () => {
    const email = await fixture.customer();
    for (const [path, body] of [
      ["/sign-in", { email }],
      ["/sign-in/verify", { email, code: "123456" }],
      ["/sign-in/link", { token: "x" }],
      ["/sign-in/discord", {}],
    ] as const) {
      const answer = await client().post(path, body, { origin: "https://evil.example.com" });
      expect([path, ...problemOf(answer)]).toEqual([path, 403, "wrong_origin"]);
    }
    expect(await codesOf(email)).toEqual([]);
    const browser = await fixture.signedIn(email);
    expect((await browser.post("/sign-out", {}, { origin: "" })).body.code).toBe("wrong_origin");
  });

  test("signing out ends this session, or all of them", async () => {
    const one = await fixture.signedIn(await fixture.customer());
    const [two, three] = [await fixture.signedIn(one), await fixture.signedIn(one)];
    const token = tokenOf(one);
    await one.post("/sign-out", {});
    one.browser.cookies.set("countersign_portal", token);
    expect([await isSignedIn(one), await isSignedIn(two)]).toEqual([false, true]);
    expect((await two.post("/sign-out", { everywhere: true })).status).toBe(204);
    expect(await isSignedIn(three)).toBe(false);
  });

  test("a session that has expired opens nothing", async () => {
    const browser = await fixture.signedIn(await fixture.customer());
    const { personId: person_id } = browser;
    const expireAt = (expires_at: number) => fixture.change("portal_sessions", { person_id }, { expires_at });
    await expireAt(Date.now() + 60_000);
    expect(await isSignedIn(browser)).toBe(true);
    await expireAt(Date.now() - 60_000);
    expect((await browser.get("/me")).body.code).toBe("sign_in_required");
  });

  test("neither the session token is stored nor the email address printed", async () => {
    const email = await fixture.customer();
    const browser = await signedInCustomer(fixture.url, fixture.store, email);
    const sessions = await fixture.stored("portal_sessions", {});
    expect(JSON.stringify(sessions)).not.toContain(tokenOf(browser));
    expect(fixture.server.output()).not.toContain(email);
  });

  test("the ways to sign in are public, and Discord is not one of them without its settings", async () => {
    const url = `${fixture.server.url}/portal`;
    expect((await client().get("/options")).body).toEqual({ discord: false, sends_email: false, url });
    expect(problemOf(await client().post("/sign-in/discord", {}))).toEqual([404, "discord_not_configured"]);
  });
});
