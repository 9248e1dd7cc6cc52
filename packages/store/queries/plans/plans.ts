import { type Plan, plans } from "@countersign/domain/quota/limit";
import { prepared } from "../../prepared-query.ts";
import type { Database } from "../../store.ts";
import type { PlanRow } from "../../tables/billing.ts";

/** The smallest first. */
export async function allPlans(db: Database): Promise<PlanRow[]> {
  const rows = await db.selectFrom("plans").selectAll().execute();
  return rows.sort((one, other) => plans.indexOf(one.id) - plans.indexOf(other.id));
}

const readPlan = prepared((db, id: Plan) => db.selectFrom("plans").selectAll().where("id", "=", id)).first;

/** The migrations create every plan, and none can be deleted. */
export async function planById(db: Database, id: Plan): Promise<PlanRow> {
  const row = await readPlan(db, id);
  if (row === undefined) throw new Error(`The plan ${id} is missing from the database.`);
  return row;
}

/** The current row, locked until the transaction ends. */
export async function lockedPlan(db: Database, id: Plan): Promise<PlanRow> {
  return db
    .updateTable("plans")
    .set((row) => ({ updated_at: row.ref("updated_at") }))
    .where("id", "=", id)
    .returningAll()
    .executeTakeFirstOrThrow();
}

export async function updatePlan(
  db: Database,
  id: Plan,
  changes: Partial<Omit<PlanRow, "id">>,
): Promise<void> {
  await db.updateTable("plans").set(changes).where("id", "=", id).execute();
}
