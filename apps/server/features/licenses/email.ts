import * as contract from "@countersign/contract/manage/license-actions";
import { maskedKey } from "@countersign/domain/licenses/key";
import { secondsUntilReset } from "@countersign/domain/quota/day";
import { licenseLetterFacts } from "@countersign/store/queries/license-letters";
import { freeMailKey, mailByKey } from "@countersign/store/queries/mailbox";
import { knownLetters, removeWaitingLetter } from "@countersign/store/queries/waiting-letters";
import type { Database } from "@countersign/store/store";
import type { z } from "zod";
import { type BoundRoute, bind } from "../../http/manage/bind.ts";
import { type Context, theLicense } from "../../http/manage/context.ts";
import { iso } from "../../http/manage/page.ts";
import { Problem } from "../../http/manage/problem.ts";
import { shownFailure } from "../../shown-failure.ts";
import { audit } from "../audit-log/record.ts";
import { countOneLetter } from "../mail/customer-letters.ts";
import { dedupeKey, writeLetter } from "../mail/letter.ts";
import { deliveryLetter } from "../mail/license-letters.ts";
import { current } from "./change.ts";

const pauseBetweenEmailsMs = 60_000;

/** The email with a license's key: its status, its text, and sending it again. */
export const emailRoutes: readonly BoundRoute[] = [
  bind(contract.getLicenseEmail, (context) => show(context.store.reads, context, theLicense(context).id)),

  bind(contract.sendLicenseEmail, async (context) => {
    if (context.config.mail === null) throw new Problem("license_email_unavailable");
    return context.transaction(async (db) => {
      const license = await current(db, context);
      if (license.revoked_at !== null) throw new Problem("license_revoked");
      const [facts] = await licenseLetterFacts(db, [license.id]);
      if (facts === undefined) throw new Problem("customer_without_email");
      const letter = deliveryLetter(facts);
      const key = dedupeKey(letter.once);
      const last = await mailByKey(db, key);
      if (last !== undefined) checkLast(last, context.nowMs);
      if (!(await countOneLetter(db, facts, context.config.lettersADay, context.nowMs)))
        throw new Problem(
          "license_email_limit_reached",
          {},
          { headers: { "retry-after": String(secondsUntilReset(context.nowMs)) } },
        );
      // The newest email about a license has the key by which it is found.
      await freeMailKey(db, key);
      await removeWaitingLetter(db, key);
      await writeLetter(db, { ...letter, isBulk: false }, context.nowMs);
      await audit(db, context, {
        action: "license.email_sent",
        subject: { kind: "license", id: license.id, name: maskedKey(license.license_key) },
        after: { email: facts.email },
      });
      return show(db, context, license.id);
    });
  }),
];

type Mail = NonNullable<Awaited<ReturnType<typeof mailByKey>>>;

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
  const [facts] = await licenseLetterFacts(db, [licenseId]);
  const key = dedupeKey(`license_delivery:${licenseId}`);
  const mail = await mailByKey(db, key);
  const waits = mail === undefined && (await knownLetters(db, [key])).has(key);
  const letter = facts === undefined ? null : deliveryLetter(facts);
  return {
    state: mail === undefined ? (waits ? "over_limit" : "none") : stateOf(mail, context.config.mail !== null),
    recipient: mail?.recipient ?? letter?.to ?? null,
    written_at: iso(mail?.created_at ?? null),
    sent_at: iso(mail?.sent_at ?? null),
    failure: shownFailure(mail?.failure ?? null),
    subject: letter?.subject ?? null,
    text: letter?.text ?? null,
  };
}

function stateOf(mail: Mail, isSent: boolean): z.input<typeof contract.licenseEmail>["state"] {
  if (mail.sent_at !== null) return "sent";
  if (!isSent) return "kept";
  return mail.next_attempt_at === null ? "failed" : "queued";
}
