import * as contract from "@countersign/contract/manage/admin";
import { lockSetup, removeState, setState } from "@countersign/store/queries/admin/platform-state";
import { hasAuditLogLimits } from "@countersign/store/queries/audit-log/retention";
import type { Database } from "@countersign/store/store";
import { type BoundRoute, bind } from "../../api/context.ts";
import type { Config } from "../../base/config.ts";
import { Problem } from "../../http/problem.ts";
import { asPlatform, audit } from "../audit-log/record.ts";
import {
  paymentSettings,
  type SettingName,
  settingNames,
  settingsWithSource,
  variableOf,
} from "./platform-settings.ts";

export const settingsRoutes: readonly BoundRoute[] = [
  bind(contract.getPlatformSettings, async ({ store, config }) => shown(store.reads, config)),

  bind(contract.updatePlatformSettings, async (context, { body }) =>
    context.transaction(async (db) => {
      await lockSetup(db);
      const before = await shown(db, context.config);
      for (const name of settingNames)
        if (body[name] !== undefined && before[`${name}_set_by`] === "environment") throw fixed(name);
      const changed = (Object.keys(body) as (keyof typeof body)[]).filter(
        (name) => body[name] !== undefined && (body[name] !== before[name] || isUndecided(name, before)),
      );
      if (changed.length === 0) return before;
      for (const name of changed) await store(db, name, body[name] ?? null);
      await audit(db, asPlatform(context), {
        action: "platform.updated",
        subject: { kind: "platform", id: "settings" },
        before: Object.fromEntries(
          changed.map((name) => [name, isUndecided(name, before) ? null : before[name]]),
        ),
        after: Object.fromEntries(changed.map((name) => [name, body[name]])),
      });
      return shown(db, context.config);
    }),
  ),
];

function archiveKind({ auditLogArchive }: Config): "folder" | "none" | "unset" {
  if (auditLogArchive === null) return "unset";
  return auditLogArchive === "none" ? "none" : "folder";
}

type Shown = Awaited<ReturnType<typeof shown>>;

async function shown(db: Database, config: Config) {
  const { values, setBy } = await settingsWithSource(db, config);
  const { currency, contact, automaticTax } = await paymentSettings(db);
  return {
    default_plan: values.default_plan,
    default_plan_set_by: setBy.default_plan,
    sign_up: values.sign_up,
    sign_up_set_by: setBy.sign_up,
    daily_emails: values.daily_emails,
    daily_emails_set_by: setBy.daily_emails,
    webhook_endpoints: values.webhook_endpoints,
    webhook_endpoints_set_by: setBy.webhook_endpoints,
    request_log_days: values.request_log_days,
    request_log_days_set_by: setBy.request_log_days,
    request_log_mb: values.request_log_mb,
    request_log_mb_set_by: setBy.request_log_mb,
    audit_log_archive: archiveKind(config),
    audit_log_limited: await hasAuditLogLimits(db),
    currency,
    billing_contact: contact,
    automatic_tax: automaticTax,
    payments: config.stripe?.mode ?? ("off" as const),
  };
}

/** The first explicit choice is a decision, even if it matches the default. */
function isUndecided(name: string, before: Shown): boolean {
  const setting = settingNames.find((known) => known === name);
  return setting !== undefined && before[`${setting}_set_by`] === "nobody";
}

async function store(db: Database, name: string, value: string | number | boolean | null): Promise<void> {
  if (value === null) await removeState(db, name);
  else await setState(db, name, String(value));
}

function fixed(name: SettingName): Problem {
  if (name === "default_plan") return new Problem("default_plan_in_environment", {}, { field: name });
  return new Problem("setting_in_environment", { variable: variableOf(name) }, { field: name });
}
