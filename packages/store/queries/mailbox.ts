import type { Database } from "../store.ts";
import type { MailboxRow } from "../tables.ts";

export async function addMail(db: Database, mail: MailboxRow): Promise<void> {
  await db.insertInto("mailbox").values(mail).execute();
}
