import { expect, test } from "bun:test";
import { consequenceOf } from "./consequence.ts";

const versions = { version_module_enabled: false, version_enforcement: "enforce" } as const;
const ips = { track_ip_on_validate: true, auto_register_ip_on_validate: true };
const portal = { portal_enabled: true, transfers: "off" } as const;
const product = { ...versions, ...ips, ...portal, signed_validation: true, expiry_enforcement: true };
const pro = { versionChecks: "included", signed_validation: true } as const;
const nothingSigned = { ...pro, signed_validation: false };
const reporting = { ...product, version_module_enabled: true, version_enforcement: "report" } as const;

const checking = { ...product, version_module_enabled: true };
const unlisted = { ...product, portal_enabled: false };
const unenforced = { ...product, expiry_enforcement: false };
const unlimited = { ...product, track_ip_on_validate: false };
const allowing = { ...unlimited, auto_register_ip_on_validate: false };
const unsigned = { ...product, signed_validation: false };
const enforce = { version_enforcement: "enforce" } as const;
const off = { transfers: "off" } as const;
const review = { transfers: "review" } as const;
const automatic = { transfers: "automatic" } as const;
const checks = (versionChecks: "off" | "enforced" | "reported") => ({ ...pro, versionChecks });

type Facts = Parameters<typeof consequenceOf>;
test.each<[name: string, Facts[0], changes: Facts[1], consequence: string | null, organization?: Facts[2]]>([
  ["version checks switched on", product, { version_module_enabled: true }, "checksVersions"],
  ["version checks on a plan without them", product, { version_module_enabled: true }, null, checks("off")],
  ["refusing after a downgrade that enforces", reporting, enforce, "checksVersions", checks("enforced")],
  ["refusing after a downgrade that only reports", reporting, enforce, null, checks("reported")],
  ["version checks switched off", checking, { version_module_enabled: false }, null],
  ["signing switched off", product, { signed_validation: false }, "unsigned"],
  ["signing switched off where nothing is", product, { signed_validation: false }, null, nothingSigned],
  ["signing switched on", unsigned, { signed_validation: true }, null],
  ["expiry enforced", unenforced, { expiry_enforcement: true }, "enforcesExpiry"],
  ["expiry no longer enforced", product, { expiry_enforcement: false }, null],
  ["new addresses no longer registered", product, { auto_register_ip_on_validate: false }, "allowList"],
  ["IP addresses limited", unlimited, { track_ip_on_validate: true }, "limitsIps"],
  ["only registered addresses accepted", allowing, { track_ip_on_validate: true }, "allowList"],
  ["IP addresses no longer limited", product, { track_ip_on_validate: false }, null],
  ["hidden from the portal", product, { portal_enabled: false }, "hidesPortal"],
  ["shown in the portal", unlisted, { portal_enabled: true }, "showsPortal"],
  ["transfers without approval", product, automatic, "automaticTransfers"],
  ["automatic transfers that need approval again", { ...product, ...automatic }, review, null],
  ["transfers turned off", { ...product, ...review }, off, "noTransfers"],
  ["automatic transfers of a product that is not in the portal", unlisted, automatic, null],
  ["a longer warning", product, { expiring_soon_days: 30 }, null],
])("the consequence of %s, if any, is shown", (_, before, changes, consequence, organization = pro) => {
  expect<string | null>(consequenceOf(before, changes, organization)).toBe(consequence);
});
