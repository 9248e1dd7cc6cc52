import type { Store } from "@countersign/store/store";

/** The token in the newest invitation to an address, as its reader would find it. */
export async function invitationTokenFor(store: Store, email: string): Promise<string> {
  const letter = await store.reads
    .selectFrom("mailbox")
    .select("body_text")
    .where("recipient", "=", email.toLowerCase())
    .where("kind", "=", "invitation")
    .orderBy("id", "desc")
    .limit(1)
    .executeTakeFirstOrThrow();
  return /\/invitations\/([\w-]+)/.exec(letter.body_text)?.[1] ?? "";
}
