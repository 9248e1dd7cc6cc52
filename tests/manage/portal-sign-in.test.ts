import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { AccountLimits } from "../../apps/server/features/identity/account-limits.ts";
import { requestSignIn, withSignInCode, withSignInLink } from "../../apps/server/features/portal/codes.ts";
import { Problem } from "../../apps/server/http/manage/problem.ts";
import { databases } from "../support/databases.ts";
import { openedEmails } from "../support/emails.ts";
import { newestCode, PortalClient, signedInCustomer } from "../support/portal-client.ts";
import { openPortalFixture, type PortalFixture } from "../support/portal-fixture.ts";
import { until } from "../support/until.ts";

setDefaultTimeout(180_000);

describe.each(databases)("signing in to the portal on $kind", ({ make }) => {
  let fixture: PortalFixture;
  beforeAll(async () => {
    fixture = await openPortalFixture(make);
  });
  afterAll(() => fixture.close());

  const client = () => new PortalClient(fixture.url);
  const ask = async (browser: PortalClient, email: string, body = {}) => {
    const answer = await browser.post("/sign-in", { email, ...body });
    expect(answer.status).toBe(202);
    return answer;
  };
  const codesOf = (email: string) => openedEmails(fixture.store, { to: email, kind: "portal_sign_in" });
  const wrong = (code: string) => String((Number(code) + 1) % 1_000_000).padStart(6, "0");

  test("a customer signs in with the code from the email", async () => {
    const email = await fixture.customer();
    const browser = client();
    const asked = await ask(browser, email.toUpperCase());
    expect(asked.body).toEqual({ expires_in_seconds: 600 });
    const { code } = await newestCode(fixture.store, email);
    const answer = await browser.post("/sign-in/verify", {
      email,
      code: `${code.slice(0, 3)} ${code.slice(3)}`,
    });
    expect(answer.status).toBe(200);
    expect(answer.body).toMatchObject({
      signed_in_by: "email",
      identities: [{ kind: "email", value: email }],
    });
    expect((await browser.get("/me")).body).toEqual(answer.body);
    expect(Date.parse(answer.body.session_expires_at) - Date.now()).toBeWithin(
      29.99 * 86_400_000,
      30.01 * 86_400_000,
    );
  });

  test("the link in the email signs in once, and continues to the page that was asked for", async () => {
    const email = await fixture.customer();
    await ask(client(), email, { next: "/licenses/1?a=b&c=d" });
    const { link, token, code } = await newestCode(fixture.store, email);
    expect(link).toBe(`${fixture.url}/portal/sign-in/link#${token}&next=%2Flicenses%2F1%3Fa%3Db%26c%3Dd`);
    const other = client();
    expect((await other.post("/sign-in/link", { token })).status).toBe(200);
    expect((await other.get("/me")).body.identities).toMatchObject([{ value: email }]);
    const again = await client().post("/sign-in/link", { token });
    expect([again.status, again.body.code]).toEqual([401, "invalid_link"]);
    expect((await client().post("/sign-in/verify", { email, code })).status).toBe(401);
  });

  test("signing in again finds the same person, and the codes of that email address are used up", async () => {
    const email = await fixture.customer();
    const [one, other] = [client(), client()];
    await ask(one, email);
    const first = await newestCode(fixture.store, email);
    await ask(other, email);
    const second = await newestCode(fixture.store, email);
    expect((await other.post("/sign-in/verify", { email, code: second.code })).status).toBe(200);
    for (const { code, token } of [first, second]) {
      expect((await one.post("/sign-in/verify", { email, code })).body.code).toBe("wrong_sign_in_code");
      expect((await one.post("/sign-in/link", { token })).body.code).toBe("invalid_link");
    }
    await one.signIn(fixture.store, email);
    const ids = async (browser: PortalClient) =>
      (await browser.get("/me")).body.identities.map(({ id }: { id: string }) => id);
    expect(await ids(one)).toEqual(await ids(other));
    expect((await one.get("/me/sessions")).body.data).toHaveLength(2);
  });

  test("someone who signs in often gets a code each time, also in new browsers of one network", async () => {
    const email = await fixture.customer();
    for (let times = 0; times < 14; times++)
      await new PortalClient(fixture.url, "203.0.113.78").signIn(fixture.store, email);
  });

  test("a code allows five attempts in the browser that requested it", async () => {
    const email = await fixture.customer();
    const browser = client();
    await ask(browser, email);
    const { code, token } = await newestCode(fixture.store, email);
    const answers = [];
    for (let time = 0; time < 5; time++)
      answers.push(await browser.post("/sign-in/verify", { email, code: wrong(code) }));
    answers.push(await browser.post("/sign-in/verify", { email, code }));
    expect(new Set(answers.map(contentOf)).size).toBe(1);
    expect(answers[0]).toMatchObject({ status: 401, body: { code: "wrong_sign_in_code" } });
    // Neither another browser's attempts nor the link are used up.
    expect((await client().post("/sign-in/link", { token })).status).toBe(200);
  });

  test("parallel attempts cannot exceed five", async () => {
    for (const hasChallenge of [true, false]) {
      const email = await fixture.customer();
      const browser = client();
      await ask(browser, email);
      const { code } = await newestCode(fixture.store, email);
      const cookies = [...browser.browser.cookies];
      const answers = await Promise.all(
        Array.from({ length: 50 }, async () => {
          const guesser = client();
          if (hasChallenge) for (const [name, value] of cookies) guesser.browser.cookies.set(name, value);
          return guesser.post("/sign-in/verify", { email, code: wrong(code) });
        }),
      );
      expect(answers.filter(({ status }) => status === 200)).toEqual([]);
      const [row] = await fixture.codeRows(email);
      expect(row).toMatchObject(
        hasChallenge ? { attempts: 5, other_attempts: 0 } : { attempts: 0, other_attempts: 5 },
      );
    }
  });

  test("of parallel attempts with the right code or link, one signs in", async () => {
    for (const way of ["code", "link"] as const) {
      const email = await fixture.customer();
      const browser = client();
      await ask(browser, email);
      const { code, token } = await newestCode(fixture.store, email);
      const cookies = [...browser.browser.cookies];
      const answers = await Promise.all(
        Array.from({ length: 8 }, async () => {
          const one = client();
          for (const [name, value] of cookies) one.browser.cookies.set(name, value);
          return way === "code"
            ? one.post("/sign-in/verify", { email, code })
            : one.post("/sign-in/link", { token });
        }),
      );
      expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array(7).fill(401)]);
    }
  });

  test("two first sign-ins at the same moment create one person", async () => {
    const email = await fixture.customer();
    const browsers = [client(), client(), client()];
    const tokens: string[] = [];
    for (const browser of browsers) {
      await ask(browser, email);
      tokens.push((await newestCode(fixture.store, email)).token);
    }
    const answers = await Promise.all(
      browsers.map((browser, at) => browser.post("/sign-in/link", { token: tokens[at] })),
    );
    // A sign-in uses up the other codes, so the rest are refused or were as fast.
    expect(answers.map(({ status }) => status)).toContain(200);
    const people = await fixture.store.reads
      .selectFrom("portal_identities")
      .select("person_id")
      .where("value", "=", email)
      .execute();
    expect(people).toHaveLength(1);
  });

  test("a code and its link expire after ten minutes", async () => {
    const email = await fixture.customer();
    const browser = client();
    await ask(browser, email);
    const { code, token } = await newestCode(fixture.store, email);
    const [row] = await fixture.codeRows(email);
    expect((row?.expires_at ?? 0) - (row?.created_at ?? 0)).toBe(600_000);
    await fixture.expireCodes(email);
    expect((await browser.post("/sign-in/verify", { email, code })).body.code).toBe("wrong_sign_in_code");
    expect((await browser.post("/sign-in/link", { token })).body.code).toBe("invalid_link");
  });

  test("an unknown email address gets the same responses in the same time, and no email", async () => {
    const known = await fixture.customer();
    const unknown = `nobody-${known}`;
    const times: Record<string, number[]> = { [known]: [], [unknown]: [] };
    const answers: Record<string, string[]> = { [known]: [], [unknown]: [] };
    const browsers = { [known]: client(), [unknown]: client() };
    // In turns, so that other load does not only meet one of them.
    for (let time = 0; time < 8; time++) {
      for (const [email, browser] of Object.entries(browsers)) {
        const startMs = performance.now();
        const asked = await ask(browser, email);
        times[email]?.push(performance.now() - startMs);
        answers[email]?.push(contentOf(asked));
      }
    }
    for (const [email, browser] of Object.entries(browsers)) {
      for (let time = 0; time < 6; time++)
        answers[email]?.push(contentOf(await browser.post("/sign-in/verify", { email, code: "000000" })));
      answers[email]?.push(contentOf(await client().post("/sign-in/verify", { email, code: "000000" })));
    }
    expect(answers[unknown]).toEqual(answers[known] ?? []);
    // Eight requests from one network: four are sent, the others look the same.
    expect(await codesOf(known)).toHaveLength(4);
    expect(await codesOf(unknown)).toEqual([]);
    expect(await fixture.codeRows(unknown)).toHaveLength(4);
    for (const ms of [...(times[known] ?? []), ...(times[unknown] ?? [])])
      expect(ms).toBeGreaterThanOrEqual(595);
    const fastest = (email: string) => Math.min(...(times[email] ?? []));
    // Other load only adds time, to some more than to others.
    expect(Math.abs(fastest(known) - fastest(unknown))).toBeLessThan(300);
  });

  test("a flood of requests for one email address sends a bounded number of emails", async () => {
    const email = await fixture.customer();
    const answers = await Promise.all(Array.from({ length: 60 }, () => ask(client(), email)));
    expect(new Set(answers.map(contentOf)).size).toBe(1);
    expect(await codesOf(email)).toHaveLength(6);
    // Earlier codes still work, in any browser.
    const { token } = await newestCode(fixture.store, email);
    expect((await client().post("/sign-in/link", { token })).status).toBe(200);
  });

  test("a browser in which the customer has signed in before gets codes during such a flood", async () => {
    const email = await fixture.customer();
    const known = await signedInCustomer(fixture.url, fixture.store, email);
    await known.post("/sign-out", {});
    await Promise.all(Array.from({ length: 20 }, () => ask(client(), email)));
    const before = (await codesOf(email)).length;
    await known.signIn(fixture.store, email);
    expect((await codesOf(email)).length).toBe(before + 1);
    // Its mark is not valid for other customers.
    const other = await fixture.customer();
    await Promise.all(Array.from({ length: 20 }, () => ask(client(), other)));
    const others = (await codesOf(other)).length;
    await ask(known, other);
    expect((await codesOf(other)).length).toBe(others);
  });

  test("one IP address is refused after a hundred requests, for ten minutes at most", async () => {
    const ip = "203.0.113.77";
    const answers = await Promise.all(
      Array.from({ length: 105 }, (_, at) =>
        new PortalClient(fixture.url, ip).post("/sign-in", { email: `flood-${at}@example.com` }),
      ),
    );
    const refused = answers.filter(({ status }) => status === 429);
    expect(refused).toHaveLength(5);
    for (const { headers } of refused) expect(Number(headers.get("retry-after"))).toBeWithin(1, 601);
  });

  test("a flood from many IP addresses is refused beyond 200 requests a second, for a second", async () => {
    const email = await fixture.customer();
    const answers = await Promise.all(
      Array.from({ length: 600 }, () => client().post("/sign-in/verify", { email, code: "000000" })),
    );
    const busy = answers.filter(({ headers }) => headers.get("retry-after") === "1");
    expect(busy.length).toBeGreaterThan(0);
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
    const first = browser.browser.cookies.get("countersign_portal");
    expect(first).toMatch(/^[\w-]{43}$/);
    expect(first).not.toBe(planted);
    await browser.signIn(fixture.store, email);
    const second = browser.browser.cookies.get("countersign_portal");
    expect(second).not.toBe(first);
    const old = client();
    for (const token of [planted, first ?? ""]) {
      old.browser.cookies.set("countersign_portal", token);
      expect((await old.get("/me")).status).toBe(401);
    }
  });

  test("the cookies have exactly these attributes", async () => {
    const email = await fixture.customer();
    const browser = client();
    const asked = await ask(browser, email);
    expect(asked.headers.getSetCookie().map(withoutValue)).toEqual([
      "countersign_portal_challenge=…; Max-Age=600; Path=/; HttpOnly; SameSite=Lax",
    ]);
    const { code } = await newestCode(fixture.store, email);
    const answer = await browser.post("/sign-in/verify", { email, code });
    expect(answer.headers.getSetCookie().map(withoutValue)).toEqual([
      "countersign_portal=…; Max-Age=2592000; Path=/; HttpOnly; SameSite=Lax",
      "countersign.portal_device=…; Max-Age=15552000; Path=/; HttpOnly; SameSite=Lax",
      "countersign_portal_challenge=…; Max-Age=0; Path=/; HttpOnly; SameSite=Lax",
    ]);
    expect(answer.headers.get("cache-control")).toBe("no-store");
    const out = await browser.post("/sign-out", {});
    expect([out.status, out.headers.getSetCookie().map(withoutValue)]).toEqual([
      204,
      ["countersign_portal=…; Max-Age=0; Path=/; HttpOnly; SameSite=Lax"],
    ]);
  });

  test("requests from other sites are refused, also before anyone has signed in", async () => {
    const email = await fixture.customer();
    const foreign = { origin: "https://evil.example.com" };
    const anonymous = client();
    for (const [path, body] of [
      ["/sign-in", { email }],
      ["/sign-in/verify", { email, code: "123456" }],
      ["/sign-in/link", { token: "x" }],
      ["/sign-in/discord", {}],
    ] as const) {
      const answer = await anonymous.post(path, body, foreign);
      expect([path, answer.status, answer.body.code]).toEqual([path, 403, "wrong_origin"]);
    }
    expect(await codesOf(email)).toEqual([]);
    const browser = await signedInCustomer(fixture.url, fixture.store, email);
    for (const headers of [foreign, { origin: "null" }, { origin: "" }]) {
      expect((await browser.post("/sign-out", {}, headers)).body.code).toBe("wrong_origin");
      expect((await browser.delete("/me", headers)).body.code).toBe("wrong_origin");
    }
    expect((await browser.get("/me")).status).toBe(200);
  });

  test("signing out ends this session, or all of them", async () => {
    const email = await fixture.customer();
    const [one, two, three] = [
      await signedInCustomer(fixture.url, fixture.store, email),
      await signedInCustomer(fixture.url, fixture.store, email),
      await signedInCustomer(fixture.url, fixture.store, email),
    ];
    const token = one.browser.cookies.get("countersign_portal") ?? "";
    await one.post("/sign-out", {});
    one.browser.cookies.set("countersign_portal", token);
    expect((await one.get("/me")).status).toBe(401);
    expect((await two.get("/me")).status).toBe(200);
    expect((await two.post("/sign-out", { everywhere: true })).status).toBe(204);
    expect((await three.get("/me")).status).toBe(401);
  });

  test("sessions expire after 30 days", async () => {
    const email = await fixture.customer();
    const browser = await signedInCustomer(fixture.url, fixture.store, email);
    await fixture.store.transaction((db) =>
      db
        .updateTable("portal_sessions")
        .set({ expires_at: Date.now() - 60_000 })
        .where("person_id", "in", (rows) =>
          rows.selectFrom("portal_identities").select("person_id").where("value", "=", email),
        )
        .execute(),
    );
    expect((await browser.get("/me")).body.code).toBe("sign_in_required");
  });

  test("the email is in the person's language, else the newest seller's, else the browser's", async () => {
    const email = await fixture.customer();
    const subject = async () => (await codesOf(email)).at(-1)?.subject;
    const browser = client();
    await ask(browser, email);
    expect(await subject()).toBe("Your sign-in code");
    const seller = await fixture.seller({ locale: "es" });
    await fixture.customer({ organizationId: seller.organizationId, owner: seller.owner, email });
    await ask(browser, email);
    expect(await subject()).toBe("Tu código de inicio de sesión");
    const { token } = await newestCode(fixture.store, email);
    await browser.post("/sign-in/link", { token });
    expect((await browser.patch("/me", { locale: "de" })).body.locale).toBe("de");
    await ask(browser, email);
    expect(await subject()).toBe("Dein Anmeldecode");
  });

  test("what is stored contains neither the code, the link, the session token nor the email address", async () => {
    const email = await fixture.customer();
    const browser = client();
    await ask(browser, email);
    const { token } = await newestCode(fixture.store, email);
    const challenge = browser.browser.cookies.get("countersign_portal_challenge") ?? "";
    const [row] = await fixture.codeRows(email);
    const text = JSON.stringify(row);
    for (const secret of [email, token, challenge]) expect(text).not.toContain(secret);
    await browser.post("/sign-in/link", { token });
    const sessions = await fixture.store.reads.selectFrom("portal_sessions").selectAll().execute();
    expect(JSON.stringify(sessions)).not.toContain(browser.browser.cookies.get("countersign_portal") ?? "");
    expect(fixture.server.output()).not.toContain(email);
  });

  test("guesses without the browser that requested the code never use up the customer's attempts", async () => {
    const email = await fixture.customer();
    const [browser, elsewhere] = [client(), client()];
    await ask(browser, email);
    const { code } = await newestCode(fixture.store, email);
    const statuses = new Map<number, number>();
    for (let round = 0; round < 4; round++) {
      const answers = await Promise.all(
        Array.from({ length: 50 }, () => client().post("/sign-in/verify", { email, code: wrong(code) })),
      );
      for (const { status, headers } of answers) {
        statuses.set(status, (statuses.get(status) ?? 0) + 1);
        if (status === 429) expect(Number(headers.get("retry-after"))).toBeWithin(1, 601);
      }
    }
    expect([...statuses.keys()].sort()).toEqual([401, 429]);
    expect(statuses.get(401)).toBeWithin(20, 22);
    // The right code is refused in other browsers, like every wrong one.
    expect((await elsewhere.post("/sign-in/verify", { email, code })).status).toBe(429);
    expect((await browser.post("/sign-in/verify", { email, code })).status).toBe(200);
  });

  test("100,000 guesses within ten minutes never succeed, and never lock the customer out", async () => {
    const email = await fixture.customer();
    const startMs = Date.now();
    let nowMs = startMs;
    const { store, secrets, url } = fixture;
    const limits = new AccountLimits(store, () => nowMs);
    const parts = { store, secrets, limits, countUnknownBrowser: () => {}, portalUrl: `${url}/portal` };
    const request = (challenge: string, ip: string) =>
      requestSignIn(parts, {
        email,
        next: undefined,
        challenge,
        ip,
        deviceOf: () => null,
        language: "en",
        nowMs,
      });
    let signedIn = 0;
    const attempt = async (code: string, challenge: string | null, ip: string): Promise<boolean> => {
      try {
        return (
          (await withSignInCode(parts, { email, code, challenge, ip, nowMs }, async () => true)) === true
        );
      } catch (error) {
        if (!(error instanceof Problem) || error.code !== "too_many_attempts") throw error;
        expect(Number(error.headers["retry-after"])).toBeWithin(1, 601);
        return false;
      }
    };
    const own = "c".repeat(43);
    await request(own, "192.0.2.1");
    const mine = await newestCode(store, email);
    const ipOf = (at: number) => `10.${at >> 16}.${(at >> 8) & 255}.${at & 255}`;
    const guesses = 100_000;
    for (let at = 0; at < guesses; at++) {
      nowMs = startMs + Math.floor((at / guesses) * 595_000);
      // Guessers request codes too, and have the five attempts of each.
      if (at % 1_000 === 1) {
        const challenge = `${"g".repeat(37)}${String(at).padStart(6, "0")}`;
        await request(challenge, ipOf(at));
        for (let time = 0; time < 6; time++) if (await attempt("not it", challenge, ipOf(at))) signedIn += 1;
      }
      // After the first few, even the right code is refused.
      const code = at < 10 ? wrong(mine.code) : mine.code;
      if (await attempt(code, null, ipOf(at))) signedIn += 1;
    }
    expect(signedIn).toBe(0);
    expect((await codesOf(email)).length).toBeLessThanOrEqual(8);
    const rows = await fixture.codeRows(email);
    for (const row of rows) {
      expect(row.attempts).toBeLessThanOrEqual(5);
      expect(row.other_attempts).toBeLessThanOrEqual(5);
    }
    // In their own browser, at once.
    expect(await attempt(mine.code, own, "192.0.2.1")).toBe(true);
    // In a browser that requested nothing, within ten minutes of the last guess.
    nowMs += 600_000;
    await request("d".repeat(43), "192.0.2.2");
    const later = await newestCode(store, email);
    expect(later.code).not.toBe("");
    expect(await attempt(later.code, null, "192.0.2.3")).toBe(true);
  });

  test("where many codes are requested, further emails have a link and no code, except for a known browser", async () => {
    const email = await fixture.customer();
    const known = await signedInCustomer(fixture.url, fixture.store, email);
    let nowMs = Date.now();
    const { store, secrets, url } = fixture;
    const parts = {
      store,
      secrets,
      limits: new AccountLimits(store, () => nowMs),
      countUnknownBrowser: () => {},
      portalUrl: `${url}/portal`,
    };
    const challenge = "e".repeat(43);
    for (let at = 0; at < 58; at++) {
      nowMs += 600_000;
      const ip = `10.9.0.${at}`;
      await requestSignIn(parts, {
        email,
        next: undefined,
        challenge,
        ip,
        deviceOf: () => null,
        language: "en",
        nowMs,
      });
    }
    const emails = await codesOf(email);
    expect(emails).toHaveLength(59);
    const withCode = emails.filter(({ body_text: text }) => /^Code: \d{6}$/m.test(text));
    // Ten at first, and one every two hours of the ten.
    expect(withCode.length).toBeWithin(10, 16);
    const last = await newestCode(store, email);
    expect(last.code).toBe("");
    for (const code of ["", "000000"])
      expect(
        await withSignInCode(parts, { email, code, challenge, ip: null, nowMs }, async () => true),
      ).toBeNull();
    expect(await withSignInLink(parts, { token: last.token, ip: null, nowMs }, async () => true)).toBe(true);
    await known.post("/sign-out", {});
    await known.signIn(store, email);
  });

  test("the link works while others guess and request codes", async () => {
    const email = await fixture.customer();
    await Promise.all(Array.from({ length: 30 }, () => ask(client(), email)));
    await Promise.all(
      Array.from({ length: 60 }, () => client().post("/sign-in/verify", { email, code: "000000" })),
    );
    const { token } = await newestCode(fixture.store, email);
    expect((await client().post("/sign-in/link", { token })).status).toBe(200);
  });

  test("the ways to sign in are public", async () => {
    expect((await client().get("/options")).body).toEqual({ discord: false, sends_email: false });
  });
});

test("with https, every cookie is bound to its host", async () => {
  const { portalCookie } = await import("../../apps/server/features/portal/cookies.ts");
  expect(portalCookie("https://portal.example.com", "countersign_portal", "x", 60)).toBe(
    "__Host-countersign_portal=x; Max-Age=60; Path=/; HttpOnly; Secure; SameSite=Lax",
  );
});

function contentOf({ status, body }: { status: number; body: Record<string, unknown> }): string {
  const { request_id: _, ...rest } = body;
  return JSON.stringify([status, rest]);
}

function withoutValue(cookie: string): string {
  return cookie.replace(/=[^;]*/, "=…");
}
