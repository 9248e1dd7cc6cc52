import * as contract from "@countersign/contract/manage/license-actions";
import { shownFailure } from "@countersign/contract/problems/failures";
import { isoTime } from "@countersign/domain/dates/iso-time";
import { maskedKey } from "@countersign/domain/licenses/key";
import { secondsUntilReset } from "@countersign/domain/quota/day";
import { licenseEmailFacts } from "@countersign/store/queries/mail/license-facts";
import { emailByKey, freeEmailKey } from "@countersign/store/queries/mail/outbox";
import { knownEmails, removeWaitingEmail } from "@countersign/store/queries/mail/waiting-emails";
import type { Database } from "@countersign/store/store";
import type { z } from "zod";
import { type BoundRoute, bind, type Context } from "../../api/context.ts";
import { Problem } from "../../http/problem.ts";
import { audit } from "../audit-log/record.ts";
import { countOneEmail } from "../mail/customer-emails.ts";
import { dedupeKey, writeEmail } from "../mail/email.ts";
import { deliveryEmail } from "../mail/license-emails.ts";
import { current } from "./change.ts";

const pauseBetweenEmailsMs = 60_000;

/** The email with a license's key: its status, its text, and sending it again. */
export const emailRoutes: readonly BoundRoute[] = [
  bind(contract.getLicenseEmail, (context) => show(context.store.reads, context, context.license.id)),

  bind(contract.sendLicenseEmail, async (context) => {
    if (context.config.mail === null) throw new Problem("license_email_unavailable");
    return context.transaction(async (db) => {
      const license = await current(db, context);
      if (license.revoked_at !== null) throw new Problem("license_revoked");
      const [facts] = await licenseEmailFacts(db, [license.id]);
      if (facts === undefined) throw new Problem("customer_without_email");
      const message = deliveryEmail(facts);
      const key = dedupeKey(message.once);
      const last = await emailByKey(db, key);
      if (last !== undefined) checkLast(last, context.nowMs);
      if (!(await countOneEmail(db, facts, context.config, context.nowMs)))
        throw new Problem(
          "license_email_limit_reached",
          {},
          { headers: { "retry-after": String(secondsUntilReset(context.nowMs)) } },
        );
      // The newest email about a license has the key by which it is found.
      await freeEmailKey(db, key);
      await removeWaitingEmail(db, key);
      const { id: organizationId } = context.organization;
      await writeEmail(db, { ...message, isBulk: false, organizationId }, context.nowMs);
      await audit(db, context, {
        action: "license.email_sent",
        subject: { kind: "license", id: license.id, name: maskedKey(license.license_key) },
        after: { email: facts.email },
      });
      return show(db, context, license.id);
    });
  }),
];

type Mail = NonNullable<Awaited<ReturnType<typeof emailByKey>>>;

function checkLast(mail: Mail, nowMs: number): void {
  if (mail.sent_at === null && mail.next_attempt_at !== null) throw new Problem("license_email_queued");
  const waitSeconds = Math.ceil((mail.created_at + pauseBetweenEmailsMs - nowMs) / 1000);
  if (waitSeconds > 0)
    throw new Problem(
      "license_email_sent_recently",
      { count: waitSeconds },
      { headers: { "retry-after": String(waitSeconds) } },
    );
}

async function show(
  db: Database,
  context: Context,
  licenseId: string,
): Promise<z.input<typeof contract.licenseEmail>> {
  const [facts] = await licenseEmailFacts(db, [licenseId]);
  const key = dedupeKey(`license_delivery:${licenseId}`);
  const mail = await emailByKey(db, key);
  const waits = mail === undefined && (await knownEmails(db, [key])).has(key);
  const message = facts === undefined ? null : deliveryEmail(facts);
  return {
    state: mail === undefined ? (waits ? "over_limit" : "none") : stateOf(mail, context.config.mail !== null),
    recipient: mail?.recipient ?? message?.to ?? null,
    written_at: isoTime(mail?.created_at ?? null),
    sent_at: isoTime(mail?.sent_at ?? null),
    failure: shownFailure(mail?.failure ?? null),
    subject: message?.subject ?? null,
    text: message?.text ?? null,
  };
}

function stateOf(mail: Mail, isSent: boolean): z.input<typeof contract.licenseEmail>["state"] {
  if (mail.sent_at !== null) return "sent";
  if (!isSent) return "kept";
  return mail.next_attempt_at === null ? "failed" : "queued";
}
