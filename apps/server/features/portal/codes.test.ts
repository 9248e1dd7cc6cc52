import { expect, mock, test } from "bun:test";
import type { Language } from "@countersign/domain/mail/languages";
import { newId } from "@countersign/store/new-id";
import { customerFor } from "@countersign/store/queries/customers/identify";
import { personWith } from "@countersign/store/queries/portal/people";
import { openedEmails } from "../../../../tests/support/emails.ts";
import { newestCode } from "../../../../tests/support/portal-client.ts";
import { onDatabase } from "../../../../tests/support/query-tests.ts";
import { storedRows } from "../../../../tests/support/stored-rows.ts";
import { Problem } from "../../http/problem.ts";
import { AccountLimits } from "../../limits/account-limits.ts";
import { FloodLimits } from "../../limits/flood-limits.ts";
import { requestAddition, requestSignIn, withSignInCode, withSignInLink } from "./codes.ts";
import { PortalSecrets } from "./secrets.ts";

const isLong = process.env.COUNTERSIGN_TEST_LONG === "true";
const secrets = new PortalSecrets("for this test");
const tenMinutesMs = 600_000;

onDatabase("sqlite", "codes to sign in to the portal", (fixture) => {
  /** A customer who has signed in before. */
  const customer = async (locale: Language = "en") => {
    const email = `${newId()}@example.com`;
    const { organizationId } = await fixture.organization();
    await fixture.write(async (db) => {
      await db.updateTable("organizations").set({ locale }).where("id", "=", organizationId).execute();
      await customerFor(db, organizationId, { email, discordId: null, name: null }, newId, Date.now());
      await personWith(db, { kind: "email", value: email, name: null }, newId, Date.now());
    });
    return email;
  };

  /** An email address at which browsers request codes and try them, on a clock that stands still. */
  const signingIn = (email: string) => {
    const { store } = fixture;
    const clock = { nowMs: Date.now() };
    const countUnknownBrowser = mock(() => {});
    const limits = new AccountLimits(store, () => clock.nowMs);
    const parts = { store, secrets, limits, countUnknownBrowser, portalUrl: "https://example.com/portal" };
    let lastIp = 0;
    /** Another network each time, if none is named. */
    const somewhere = () => `10.${(++lastIp >> 16) & 255}.${(lastIp >> 8) & 255}.${lastIp & 255}`;
    const attempted = async <T>(attempt: Promise<T | null>): Promise<T | "wrong" | "wait"> => {
      try {
        return (await attempt) ?? "wrong";
      } catch (error) {
        if (!(error instanceof Problem) || error.code !== "too_many_attempts") throw error;
        expect(Number(error.headers["retry-after"])).toBeWithin(1, 601);
        return "wait";
      }
    };
    const request = { email, next: undefined, language: null, browserLanguage: null } as const;
    return {
      clock,
      countUnknownBrowser,
      parts,
      somewhere,
      ask: (challenge = newId(), ip = somewhere(), deviceId: string | null = null) => {
        const { nowMs } = clock;
        return requestSignIn(parts, { ...request, challenge, ip, deviceOf: () => deviceId, nowMs });
      },
      tryCode: (code: string, challenge: string | null = null, ip = somewhere()) => {
        const attempt = { email, code, challenge, ip, nowMs: clock.nowMs };
        return attempted(withSignInCode(parts, attempt, async () => "signed in"));
      },
      tryLink: (token: string) => {
        const attempt = { token, ip: somewhere(), nowMs: clock.nowMs };
        return attempted(withSignInLink(parts, attempt, async (_, address) => address));
      },
      sent: () => openedEmails(store, { to: email, kind: "portal_sign_in" }),
      rows: () => storedRows(store.reads, "portal_codes", { email_hash: secrets.emailHash(email) }),
      newest: () => newestCode(store, email),
    };
  };
  const wrong = (code: string) => String((Number(code) + 1) % 1_000_000).padStart(6, "0");

  test("a code and its link work for ten minutes, and what is stored contains neither", async () => {
    const email = await customer();
    const { clock, ask, rows, newest, tryCode, tryLink } = signingIn(email);
    await ask("browser");
    const { code, token } = await newest();
    const [row] = await rows();
    expect(Number(row?.expires_at) - Number(row?.created_at)).toBe(tenMinutesMs);
    for (const secret of [code, token, email, "browser"])
      expect(JSON.stringify({ ...row, id: "", created_at: 0, expires_at: 0 })).not.toContain(secret);
    clock.nowMs += tenMinutesMs;
    expect([await tryCode(code, "browser"), await tryLink(token)]).toEqual(["wrong", "wrong"]);
    clock.nowMs -= 1;
    expect(await tryCode(code, "browser")).toBe("signed in");
  });

  test.each(["code", "link"])("of attempts at once with the right %s, one signs in", async (way) => {
    const email = await customer();
    const { ask, newest, tryCode, tryLink } = signingIn(email);
    await ask("browser");
    const { code, token } = await newest();
    const results = await Promise.all(
      Array.from({ length: 8 }, () => (way === "code" ? tryCode(code, "browser") : tryLink(token))),
    );
    expect(results.filter((result) => result !== "wrong")).toHaveLength(1);
    // Whichever was used, the other is used up too.
    expect([await tryCode(code, "browser"), await tryLink(token)]).toEqual(["wrong", "wrong"]);
  });

  test("a customer who signs in often gets a code each time, also in new browsers of one network", async () => {
    const { ask, newest, tryCode } = signingIn(await customer());
    for (let times = 0; times < 14; times++) {
      const challenge = newId();
      await ask(challenge, "203.0.113.78");
      expect(await tryCode((await newest()).code, challenge, "203.0.113.78")).toBe("signed in");
    }
  });

  test("an unknown email address is counted and stored like a known one, and gets no email", async () => {
    const stored: number[] = [];
    for (const email of [await customer(), `${newId()}@example.com`]) {
      const { ask, rows, sent, tryCode } = signingIn(email);
      // Of eight requests from one network, four are stored.
      for (let times = 0; times < 8; times++) await ask("browser", "203.0.113.79");
      stored.push((await rows()).length, (await sent()).length);
      expect(await tryCode("000000", "browser")).toBe("wrong");
    }
    expect(stored).toEqual([4, 4, 4, 0]);
  });

  test("a flood of requests sends a bounded number of emails, and refuses no known browser and no link", async () => {
    const { ask, sent, newest, tryCode, tryLink } = signingIn(await customer());
    await Promise.all(Array.from({ length: 30 }, () => ask()));
    expect(await sent()).toHaveLength(6);
    await ask("known browser", undefined, "its mark");
    expect(await sent()).toHaveLength(7);
    const { token } = await newest();
    for (let guesses = 0; guesses < 30; guesses++) await tryCode("000000");
    expect(await tryLink(token)).not.toBe("wrong");
  });

  test("only requests of unknown browsers count against what all of them can do in a second", async () => {
    const { ask, countUnknownBrowser, newest, tryCode } = signingIn(await customer());
    await ask("known", undefined, "its mark");
    expect(countUnknownBrowser).not.toHaveBeenCalled();
    await ask("unknown");
    await tryCode("000000");
    await tryCode((await newest()).code, "unknown");
    expect(countUnknownBrowser).toHaveBeenCalledTimes(2);
    const flood = new FloodLimits(fixture.store, () => 0);
    for (let times = 0; times < 200; times++) flood.checkAnonymousCustomer();
    expect(() => flood.checkAnonymousCustomer()).toThrow(Problem);
  });

  test("guesses throughout ten minutes never succeed, and never lock the customer out", async () => {
    const { clock, ask, newest, tryCode, somewhere, sent, rows } = signingIn(await customer());
    const startMs = clock.nowMs;
    await ask("own");
    const mine = await newest();
    const guesses = isLong ? 100_000 : 1_000;
    const results = new Set<string>();
    for (let at = 0; at < guesses; at++) {
      clock.nowMs = startMs + Math.floor((at / guesses) * 595_000);
      // Guessers request codes too, and have the five attempts of each.
      if (at % (guesses / 100) === 1) {
        const [challenge, ip] = [newId(), somewhere()];
        await ask(challenge, ip);
        for (let times = 0; times < 6; times++) results.add(await tryCode("not it", challenge, ip));
      }
      // After the first few, even the right code is refused.
      results.add(await tryCode(at < 10 ? wrong(mine.code) : mine.code));
    }
    expect([...results].sort()).toEqual(["wait", "wrong"]);
    expect((await sent()).length).toBeLessThanOrEqual(8);
    for (const row of await rows()) {
      expect(row.attempts).toBeLessThanOrEqual(5);
      expect(row.other_attempts).toBeLessThanOrEqual(5);
    }
    // In their own browser, at once.
    expect(await tryCode(mine.code, "own")).toBe("signed in");
    // In a browser that requested nothing, within ten minutes of the last guess.
    clock.nowMs += tenMinutesMs;
    await ask();
    expect(await tryCode((await newest()).code)).toBe("signed in");
  }, 300_000);

  test("where many codes are requested, further emails have a link and no code, except for a known browser", async () => {
    const { clock, ask, sent, newest, tryCode, tryLink } = signingIn(await customer());
    for (let times = 0; times < 58; times++) {
      clock.nowMs += tenMinutesMs;
      await ask("browser");
    }
    const emails = await sent();
    expect(emails).toHaveLength(58);
    const withCode = emails.filter(({ body_text: text }) => /^Code: \d{6}$/m.test(text));
    // Ten at first, and one every two hours of the ten.
    expect(withCode.length).toBeWithin(10, 16);
    const last = await newest();
    expect(last.code).toBe("");
    expect([await tryCode("", "browser"), await tryCode("000000", "browser")]).toEqual(["wrong", "wrong"]);
    expect(await tryLink(last.token)).not.toBe("wrong");
    await ask("browser", undefined, "its mark");
    expect((await newest()).code).toMatch(/^\d{6}$/);
  });

  test("codes for adding an email address count like codes for signing in: accounts are no way to guess more often", async () => {
    const email = await customer();
    const { clock, parts, somewhere } = signingIn(email);
    const personId = await fixture.write((db) =>
      personWith(db, { kind: "email", value: `${newId()}@example.com`, name: null }, newId, Date.now()),
    );
    for (let times = 0; times < 144; times++) {
      clock.nowMs += tenMinutesMs;
      const request = { email, personId, ip: somewhere(), language: "en", nowMs: clock.nowMs } as const;
      await requestAddition(parts, request);
    }
    expect((await openedEmails(fixture.store, { to: email })).length).toBeWithin(20, 23);
  });

  test("the email with a code is in the language of the seller if nothing else is known", async () => {
    const { ask, sent } = signingIn(await customer("es"));
    await ask();
    expect(await sent()).toMatchObject([{ subject: "Tu código de inicio de sesión" }]);
  });
});
