import { expect, test } from "bun:test";
import { openedEmails } from "../../../../tests/support/emails.ts";
import { onDatabase } from "../../../../tests/support/query-tests.ts";
import { newId } from "../../../../tests/support/test-organization.ts";
import { notifyEndpointDisabled } from "../webhooks/delivery/switch.ts";
import { dedupeKey, type Email, writeEmail } from "./email.ts";

onDatabase("postgres", "writing emails", (fixture) => {
  test("an email to be sent once is written once with a hash of its name, and every other one each time", async () => {
    const to = `${newId()}@example.net`;
    const once = `test:${newId()}`;
    const email = { to, subject: "A", text: "Words.", html: null, kind: "test" } as const;
    const write = (changes: Partial<Email>) =>
      fixture.write((db) => writeEmail(db, { ...email, ...changes }, Date.now()));
    await Promise.all([write({ once }), write({ once }), write({ once })]);
    await write({ once });
    await write({});
    await write({ isBulk: true, subject: "B\r\nBcc: everyone@example.com" });
    expect(await openedEmails(fixture.store, { to })).toMatchObject([
      { dedupe_key: dedupeKey(once), subject: "A", is_bulk: 0 },
      { dedupe_key: null, subject: "A", is_bulk: 0 },
      { dedupe_key: null, subject: "B Bcc: everyone@example.com", is_bulk: 1 },
    ]);
    expect(dedupeKey(once)).not.toContain(once);
  });

  test("the owner is notified of a disabled endpoint once, without the secret part of its URL", async () => {
    const owner = await fixture.user();
    const { organizationId } = await fixture.organization();
    await fixture.change("organizations", organizationId, { owner_id: owner.id });
    const url = "https://discord.com/api/webhooks/1/hush-hush";
    const failing = { failing_since: Date.UTC(2031, 0, 2, 3, 4), auto_reenable: 1 } as const;
    const endpoint = { id: newId(), organization_id: organizationId, url, description: "Sales", ...failing };
    const nowMs = Date.now();
    for (let time = 0; time < 2; time++)
      await fixture.write((db) =>
        notifyEndpointDisabled(db, endpoint, "failing", "https://l.example", nowMs),
      );
    const notices = await openedEmails(fixture.store, { to: owner.email });
    expect(notices.map(({ kind }) => kind)).toEqual(["endpoint_disabled"]);
    const facts = "Endpoint: discord.com\nDescription: Sales\nFailing since: January 2, 2031";
    expect(notices[0]?.body_text).toContain(facts);
    expect(JSON.stringify(notices)).not.toContain("hush-hush");
  });
});
