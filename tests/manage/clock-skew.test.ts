import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { join } from "node:path";
import { postgres } from "../support/databases.ts";
import { type ManageFixture, openManageFixture } from "../support/manage-fixture.ts";
import { type SignInFixture, signInFixtureOf } from "../support/sign-in-fixture.ts";

setDefaultTimeout(60_000);

const hourMs = 3_600_000;

describe.each([-2, 2])("a clock %d hours ahead", (hours) => {
  let fixture: ManageFixture;
  let people: SignInFixture;
  beforeAll(async () => {
    fixture = await openManageFixture(postgres.make, {
      why: "its clock is wrong",
      environment: {
        BUN_OPTIONS: `--preload ${join(import.meta.dir, "../support/shifted-clock.ts")}`,
        TEST_CLOCK_AHEAD_MS: String(hours * hourMs),
      },
    });
    people = signInFixtureOf(fixture);
  });
  afterAll(() => fixture.close());

  /** By the clock of this process and the database. */
  const expectNow = (ms: number) => expect(Math.abs(ms - Date.now())).toBeLessThan(60_000);

  test("the clock of the node differs from the database's as intended", async () => {
    const log = fixture.server.output().split("\n")[0] ?? "{}";
    expectNow(Date.parse(JSON.parse(log).time) - hours * hourMs);
  });

  test("expires_in_seconds is computed from the database's clock, not from the node's", async () => {
    const path = `/products/${fixture.productId}/licenses`;
    const wanted = { customer_email: "ada@example.com", expires_in_seconds: 3600 };
    const { status, body } = await fixture.owner.api.post(path, wanted);
    expect(status).toBe(201);
    expectNow(Date.parse(body.expires_at) - hourMs);
    expectNow(Date.parse(body.created_at));
    const validated = await fixture.publicApi.validate({ license_key: body.license_key });
    expect(validated.body.status).toBe("active");

    const changed = await fixture.owner.api.patch(`/licenses/${body.id}`, { expires_in_seconds: 7200 });
    expectNow(Date.parse(changed.body.expires_at) - 2 * hourMs);
    const shown = await fixture.owner.api.get(`/licenses/${body.id}`);
    expect(shown.body.status).toBe("active");
  });

  test("a set-up link is valid for half an hour by the database's clock, not by the node's", async () => {
    const state = await fixture.stored("platform_state", {});
    const link = state.find(({ name }) => name.startsWith("setup-link:"));
    expectNow(Number(link?.value) - 30 * 60_000);
  });

  test("attempts are counted together on nodes with different clocks", async () => {
    const { email } = await people.createUser();
    await people.useUp("sign_in", email, 20);
    const answer = await people.signIn(email, { password: "not the one" });
    expect(answer.status).toBe(429);
    expect(Number(answer.headers.get("retry-after"))).toBeLessThanOrEqual(180);
  });

  test("emails and device cookies are dated by the database's clock, not by the node's", async () => {
    const { browser, email } = await people.createSignedInUser();
    await people.browser().auth("/request-password-reset", { email });
    const emails = await people.emails(email);
    expect(emails.length).toBeGreaterThan(0);
    for (const message of emails) expectNow(Number(message.next_attempt_at));
    const mark = [...browser.cookies].find(([name]) => name.endsWith(".device"))?.[1] ?? "";
    expectNow(Number(mark.split(".")[2]));
  });
});
