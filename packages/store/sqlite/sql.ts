import type { DatabaseSync, StatementSync } from "node:sqlite";
import { callerColumns, licenseDetailColumns, licenseFactsColumns, planJoin } from "../batches/caller.ts";
import { licenseRecordColumns } from "../batches/license-record.ts";

const registered =
  "exists (select 1 from license_ips i where i.license_id = l.id and i.ip = ?) as registered";
const licenseByKey = "from licenses l where l.license_key_match = ? and l.product_id = ?";

/** Prepared once and reused by every batch. */
export function prepare(database: DatabaseSync): Statements {
  const sql: Record<Name, string> = {
    caller: `select ${callerColumns}, s.id as signing_key_id, s.sealed_secret
      from product_api_keys k
      join products p on p.id = k.product_id
      join organizations o on o.id = p.organization_id
      ${planJoin}
      left join product_signing_keys s on s.id = (
        select id from product_signing_keys where product_id = p.id and active_from <= ?
        order by active_from desc limit 1)
      where k.public_id = ? and (k.expires_at is null or k.expires_at > ?)`,
    usage: "select used from daily_usage where product_id = ? and day = ?",
    use: `insert into daily_usage (product_id, day, used, last_granted, daily_limit) values (?1, ?2, ?3, ?3, ?4)
      on conflict (product_id, day) do update set
        used = used + excluded.used, last_granted = excluded.used, daily_limit = excluded.daily_limit`,
    license: `select ${licenseFactsColumns}, ${registered} ${licenseByKey}`,
    detailedLicense: `select ${licenseFactsColumns}, ${licenseDetailColumns}, ${registered} ${licenseByKey}`,
    coveredByNetwork: "select 1 from license_ips where license_id = ? and ip = ?",
    coveredByAddress: "select 1 from license_ips where license_id = ? and network = ?",
    registerIp: "insert into license_ips (license_id, ip, network, registered_at) values (?, ?, ?, ?)",
    raiseIpCount: `update licenses set ip_count = ip_count + 1,
        ips_updated_at = max(?1, updated_at + 1, ips_updated_at + 1)
      where id = ?2`,
    firstUse: `update licenses set first_used_at = ?1,
        expires_at = case when term_ms is null then expires_at else ?1 + term_ms end,
        updated_at = case when term_ms is null then updated_at else max(updated_at + 1, ips_updated_at + 1, ?1) end
      where id = ?2`,
    customer: `select email, name, discord_id as "discordId" from organization_customers
      where organization_id = ? and customer_id = ?`,
    record: `select ${licenseRecordColumns} from licenses l
      left join organization_customers c
        on c.organization_id = l.organization_id and c.customer_id = l.customer_id
      where l.product_id = ? and l.license_key_match = ?`,
    versions: "select version, state from product_versions where product_id = ?",
    platformRevision: `select cast(value as integer) as revision from platform_state
      where name = 'ip_blocks_revision'`,
    refusalRecorded:
      "select in_summary from recorded_refusals where hour = ? and license_id = ? and type = ? and ip = ?",
    refusalCount:
      "select count(*) as count from recorded_refusals where hour = ? and license_id = ? and type = ?",
    recordRefusal: `insert into recorded_refusals (hour, license_id, type, ip, in_summary) values (?, ?, ?, ?, ?)`,
    summarize: `insert into event_summaries
        (hour, license_id, type, organization_id, product_id, count, last_ip, first_at, last_at)
      values (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?8)
      on conflict (hour, license_id, type) do update set
        count = count + excluded.count, last_ip = excluded.last_ip, last_at = excluded.last_at`,
    addEvent: `insert into events (id, organization_id, product_id, license_id, type, at, data, undistributed)
      values (?, ?, ?, ?, ?, ?, ?, ?)`,
    blocks: "select cidr, expires_at from ip_blocks where tier = ? and scope_id = ? and organization_id is ?",
  };
  const prepared = Object.entries(sql).map(([name, text]) => [name, database.prepare(text)]);
  return Object.fromEntries(prepared) as Statements;
}

export type Statements = Record<Name, StatementSync>;

type Name =
  | "caller"
  | "usage"
  | "use"
  | "license"
  | "detailedLicense"
  | "coveredByNetwork"
  | "coveredByAddress"
  | "registerIp"
  | "raiseIpCount"
  | "firstUse"
  | "customer"
  | "record"
  | "versions"
  | "platformRevision"
  | "refusalRecorded"
  | "refusalCount"
  | "recordRefusal"
  | "summarize"
  | "addEvent"
  | "blocks";
