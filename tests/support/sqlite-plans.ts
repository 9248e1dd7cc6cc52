/**
 * What a plan of SQLite must not do with a table that has rows for every license, customer, event or user. SQLite has
 * no statistics here and assumes a million rows in each table, so that an empty database plans as a full one.
 */
const growing = new Set([
  ...["licenses", "license_ips", "license_tags", "license_days", "license_refusals", "recorded_expiries"],
  ...[
    "customers",
    "organization_customers",
    "former_holders",
    "transfers",
    "portal_people",
    "portal_identities",
  ],
  ...["events", "deliveries", "delivery_attempts", "outbox", "waiting_emails", "audit_log", "ip_sightings"],
  ...["organizations", "users", "sessions", "accounts", "daily_usage"],
]);

/** Tables that are limited for each organization: it can be read whole, but not to find rows by their IDs. */
const limited = new Set(["products", "ip_blocks", "webhook_endpoints"]);

/** Columns with the same value in any number of rows. */
const broad = new Set([
  ...["organization_id", "product_id", "tier", "state", "status", "kind", "type", "day", "plan", "action"],
  ...["undistributed", "is_bulk", "provider_id"],
]);

/** What may read many rows, and why. */
const allowed: readonly [statement: RegExp, reason: string][] = [
  [/^select count\(\*\) as "count" from "licenses" where organization_id = \?/, "a slice of counting"],
  [/select organization_id, fact, product_id/, "the command recount and doctor compare every license"],
  [/^select "plan", "billing_state", count/, "the platform's organizations by plan, for platform admins"],
  [
    /^select count\(\*\) as "count" from "outbox" where "sent_at" is null/,
    "emails that wait, in their index",
  ],
  [/^select count\(\*\) as count from "(?:events|audit_log)"/, "a slice of counting"],
  [/^with recursive (?:waiting|having_some)/, "one step of the index for each organization or endpoint"],
  [/^select count\(\*\) as rows from \w+$/, "the command backup counts what it copied"],
  ...tests(/ order by 1$|^select \* from "\w+"$|^select \* from "outbox" /),
  ...tests(/^select "(?:id|license_key)".* from "licenses" where (?:\("organization_id"|.*"license_key" >=)/),
  ...tests(
    /^select "type", "at", "product_id", .* from "events"|^delete from "events" where "organization_id"/,
  ),
  ...tests(/^select "users"."email", "users"."locale"|^select "tier", "hits" from "ip_sightings"/),
  ...tests(
    /^(?:delete from|update) "audit_log"|^update "\w+" set "\w+" = \?(?: where "organization_id" in|$)/,
  ),
  ...tests(
    /^insert into products |^(?:select "id"|delete) from "licenses"$|^select "used" from "daily_usage"$/,
  ),
];

function tests(statement: RegExp): [RegExp, string][] {
  return [[statement, "only tests run it"]];
}

/** Every list has many values, because SQLite plans a few values in another way. */
const listLength = 64;

export function withLongLists(sql: string): string {
  return sql.replace(/\bin \(\?(?:, ?\?)*\)/g, `in (${Array(listLength).fill("?").join(", ")})`);
}

/** The step of a plan that reads far more rows than the statement needs; null if there is none. */
export function wastefulStep(sql: string, plan: readonly string[]): string | null {
  if (allowed.some(([statement]) => statement.test(sql))) return null;
  const names = tableNames(sql);
  const lists = [...sql.matchAll(/(\w+)"?\)? in \((?:\?, |select value)/g)].map(([, column]) => column ?? "");
  const listsIds = lists.some((column) => !broad.has(column));
  const stops = / limit /i.test(sql) && !plan.includes("USE TEMP B-TREE FOR ORDER BY");
  for (const step of plan) {
    const [, how, name = "", terms = ""] = /^(SCAN|SEARCH) (\w+)(?:[^(]*\((.*)\))?/.exec(step) ?? [];
    const table = names.get(name) ?? name;
    if (how === undefined || !(growing.has(table) || limited.has(table))) continue;
    // Several columns together are the end of a slice, and the days of a product are few.
    if (terms.includes(")<(") || (table === "daily_usage" && terms.includes("product_id"))) continue;
    const columns = [...terms.matchAll(/(\w+)[=<>]/g)].map(([, column]) => column ?? "");
    const isBroad = how === "SCAN" || (columns.length > 0 && columns.every((column) => broad.has(column)));
    if (isBroad && (listsIds || (growing.has(table) && !stops))) return step;
  }
  return null;
}

/** The tables of a statement, by the names under which it uses them. */
function tableNames(sql: string): Map<string, string> {
  const names = new Map<string, string>();
  const table =
    /\b(?:from|join|update) "?(\w+)"?(?: as "?(\w+)"?| (?!where|on|set|order|group|limit)(\w{1,2})\b)?/g;
  for (const [, name = "", quoted, short] of sql.matchAll(table)) names.set(quoted ?? short ?? name, name);
  return names;
}
