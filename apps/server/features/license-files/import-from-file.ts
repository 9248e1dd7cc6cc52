import { newId } from "@countersign/store/new-id";
import { addAuditEntries } from "@countersign/store/queries/audit-log/entries";
import { addImport, releaseImport, updateImport } from "@countersign/store/queries/license-files/imports";
import { organizationById } from "@countersign/store/queries/organizations/organizations";
import type { Store } from "@countersign/store/store";
import type { ImportRow } from "@countersign/store/tables/license-files";
import type { ProductRow } from "@countersign/store/tables/products";
import { auditRow, type ImportOptions, leaseMs, newImport, removeUnstarted } from "./job.ts";
import { receive } from "./receive.ts";
import { rowReader } from "./row-reader.ts";
import { runImport } from "./run.ts";
import { unthrottled } from "./throttle.ts";

/** A complete import in this process. If it is killed, a server continues it. */
export async function importFromFile(
  store: Store,
  product: ProductRow,
  options: ImportOptions,
  body: AsyncIterable<Uint8Array>,
  progress: (job: ImportRow) => void,
): Promise<ImportRow> {
  const claimant = newId();
  const organization = await organizationById(store.reads, product.organization_id);
  if (organization === undefined) throw new Error("The product has no organization.");
  const nowMs = await store.clock();
  const job = newImport({
    product,
    timeZone: organization.time_zone,
    options,
    actor: commandLine,
    claimant,
    nowMs,
  });
  await store.transaction((db) => addImport(db, job));
  const waiting: ImportRow = { ...job, state: "waiting", bytes_total: await received() };
  await store.transaction(async (db) => {
    await updateImport(db, job.id, claimant, { state: "waiting", bytes_total: waiting.bytes_total });
    await addAuditEntries(db, [auditRow(job, "import.started", nowMs)]);
  });
  try {
    return await runImport(
      { store, claimant, throttle: unthrottled(), stopping: () => false, progress },
      waiting,
    );
  } catch (error) {
    await store.transaction((db) => releaseImport(db, job.id, claimant)).catch(() => undefined);
    throw error;
  }

  async function received(): Promise<number> {
    try {
      return await receive(store, job.id, body, rowReader(job, nowMs), async () => {
        const untilMs = (await store.clock()) + leaseMs;
        await store.transaction((db) => updateImport(db, job.id, claimant, { claimed_until: untilMs }));
      });
    } catch (error) {
      await removeUnstarted(store, job.id);
      throw error;
    }
  }
}

const commandLine = {
  actor_kind: "command_line",
  actor_id: null,
  actor_name: "countersign import",
  access_token_id: null,
  ip: null,
  request_id: null,
} as const;
