import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { join } from "node:path";
import { AccountLimits } from "../../apps/server/features/identity/account-limits.ts";
import { postgres } from "../support/databases.ts";
import { type ManageFixture, openManageFixture } from "../support/manage-fixture.ts";
import { openSignInFixture, type SignInFixture } from "../support/sign-in-fixture.ts";

setDefaultTimeout(60_000);

const hourMs = 3_600_000;

for (const aheadMs of [-2 * hourMs, 2 * hourMs]) {
  describe(`a node whose clock is ${aheadMs / hourMs} hours ahead of the database`, () => {
    let fixture: ManageFixture;
    beforeAll(async () => {
      fixture = await openManageFixture(postgres.make, {
        BUN_OPTIONS: `--preload ${join(import.meta.dir, "../support/shifted-clock.ts")}`,
        TEST_CLOCK_AHEAD_MS: String(aheadMs),
      });
    });
    afterAll(() => fixture.close());

    test("has the intended clock skew", async () => {
      const log = fixture.server.output().split("\n")[0] ?? "{}";
      const offMs = Date.parse(JSON.parse(log).time) - Date.now();
      expect(Math.abs(offMs - aheadMs)).toBeLessThan(60_000);
    });

    test("computes expires_in_seconds from the database's clock", async () => {
      const path = `/products/${fixture.productId}/licenses`;
      const { status, body } = await fixture.owner.api.post(path, {
        customer_email: "ada@example.com",
        expires_in_seconds: 3600,
      });
      expect(status).toBe(201);
      const fromNowMs = Date.parse(body.expires_at) - Date.now();
      expect(Math.abs(fromNowMs - hourMs)).toBeLessThan(60_000);
      expect(Math.abs(Date.parse(body.created_at) - Date.now())).toBeLessThan(60_000);
      const validated = await fixture.publicApi.validate({ license_key: body.license_key });
      expect(validated.body.status).toBe("active");

      const changed = await fixture.owner.api.patch(`/licenses/${body.id}`, { expires_in_seconds: 7200 });
      expect(changed.status).toBe(200);
      expect(Math.abs(Date.parse(changed.body.expires_at) - Date.now() - 2 * hourMs)).toBeLessThan(60_000);
      const shown = await fixture.owner.api.get(`/licenses/${body.id}`);
      expect(shown.body.status).toBe("active");
    });
  });

  describe(`sign-in on a node whose clock is ${aheadMs / hourMs} hours ahead of the database`, () => {
    let signInFixture: SignInFixture;
    beforeAll(async () => {
      signInFixture = await openSignInFixture(postgres.make, {
        BUN_OPTIONS: `--preload ${join(import.meta.dir, "../support/shifted-clock.ts")}`,
        TEST_CLOCK_AHEAD_MS: String(aheadMs),
      });
    });
    afterAll(() => signInFixture.close());

    const isNow = (ms: number) => expect(Math.abs(ms - Date.now())).toBeLessThan(60_000);

    test("creates a set-up link that is valid for half an hour", async () => {
      const [link] = await signInFixture.store.reads
        .selectFrom("platform_state")
        .select("value")
        .where("name", "like", "setup-link:%")
        .execute();
      isNow(Number(link?.value) - 30 * 60_000);
    });

    test("counts attempts made through other nodes", async () => {
      const { email } = await signInFixture.createUser();
      const elsewhere = new AccountLimits(signInFixture.store);
      const used = Array.from({ length: 20 }, (_, index) =>
        elsewhere.check("sign_in", email, { ip: `203.0.113.${index}`, deviceId: null }),
      );
      await Promise.all(used);
      const answer = await signInFixture.browser().auth("/sign-in/email", { email, password: "not the one" });
      expect(answer.status).toBe(429);
      expect(Number(answer.headers.get("retry-after"))).toBeLessThanOrEqual(180);
    });

    test("dates emails and device cookies by the database's clock", async () => {
      const { browser, email } = await signInFixture.createSignedInUser();
      await signInFixture.browser().auth("/request-password-reset", { email });
      const emails = await signInFixture.emails(email);
      expect(emails.length).toBeGreaterThan(0);
      for (const message of emails) isNow(Number(message.next_attempt_at));
      const mark = [...browser.cookies].find(([name]) => name.endsWith(".device"))?.[1] ?? "";
      isNow(Number(mark.split(".")[2]));
    });
  });
}
