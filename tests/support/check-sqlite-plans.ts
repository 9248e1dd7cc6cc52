import { join, sep } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { wastefulStep, withLongLists } from "./sqlite-plans.ts";

/**
 * Looks at the plan of every statement that a test beside the sources runs on SQLite, and fails the test if the statement reads far more
 * rows than it needs. bunfig.toml loads it before the first file: so this holds for every query that has a test.
 */
const tests = join(import.meta.dir, "..") + sep;
const checked = new Set<string>();
const prepare = DatabaseSync.prototype.prepare;

DatabaseSync.prototype.prepare = function (this: DatabaseSync, text: string) {
  const statement = prepare.call(this, text);
  // There, the product runs in another process, and the statements are those of the tests.
  if (Bun.main.startsWith(tests)) return statement;
  const sql = withLongLists(text).replace(/\s+/g, " ").trim();
  if (checked.has(sql) || !/^(?:select|with|update|delete|insert) /i.test(sql)) return statement;
  checked.add(sql);
  const plan = prepare.call(this, `explain query plan ${sql}`).all() as { detail: string }[];
  const step = wastefulStep(
    sql,
    plan.map(({ detail }) => detail),
  );
  if (step === null) return statement;
  checked.delete(sql);
  throw new Error(`This statement reads far more rows than it needs: ${step}. Statement: ${sql}`);
};
