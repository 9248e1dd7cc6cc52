import { expect, test } from "bun:test";
import { consequenceOf } from "./consequence.ts";

const product = {
  version_module_enabled: false,
  version_enforcement: "enforce",
  signed_validation: true,
  expiry_enforcement: true,
  track_ip_on_validate: true,
  auto_register_ip_on_validate: true,
  portal_enabled: true,
  transfers: "off",
} as const;
const pro = { versionChecks: "included", signed_validation: true } as const;
const reporting = { ...product, version_module_enabled: true, version_enforcement: "report" } as const;

test.each([
  ["version checks switched on", product, { version_module_enabled: true }, pro, "checksVersions"],
  [
    "version checks without a plan that includes them have no effect",
    product,
    { version_module_enabled: true },
    { ...pro, versionChecks: "off" as const },
    null,
  ],
  [
    "after a downgrade that keeps rejecting versions, from reporting to refusing them",
    reporting,
    { version_enforcement: "enforce" as const },
    { ...pro, versionChecks: "enforced" as const },
    "checksVersions",
  ],
  [
    "after a downgrade that only reports versions, from reporting to refusing them",
    reporting,
    { version_enforcement: "enforce" as const },
    { ...pro, versionChecks: "reported" as const },
    null,
  ],
  [
    "from reporting versions to refusing them",
    reporting,
    { version_enforcement: "enforce" as const },
    pro,
    "checksVersions",
  ],
  [
    "version checks switched off",
    { ...product, version_module_enabled: true },
    { version_module_enabled: false },
    pro,
    null,
  ],
  ["signing switched off", product, { signed_validation: false }, pro, "unsigned"],
  [
    "signing switched off where the organization signs nothing",
    product,
    { signed_validation: false },
    { ...pro, signed_validation: false },
    null,
  ],
  ["signing switched on", { ...product, signed_validation: false }, { signed_validation: true }, pro, null],
  [
    "expiry enforced",
    { ...product, expiry_enforcement: false },
    { expiry_enforcement: true },
    pro,
    "enforcesExpiry",
  ],
  ["expiry no longer enforced", product, { expiry_enforcement: false }, pro, null],
  ["new addresses no longer registered", product, { auto_register_ip_on_validate: false }, pro, "allowList"],
  ["hidden from the portal", product, { portal_enabled: false }, pro, "hidesPortal"],
  [
    "shown in the portal",
    { ...product, portal_enabled: false },
    { portal_enabled: true },
    pro,
    "showsPortal",
  ],
  ["transfers with approval", product, { transfers: "review" as const }, pro, null],
  ["transfers without approval", product, { transfers: "automatic" as const }, pro, "automaticTransfers"],
  [
    "from approving transfers automatically to approval",
    { ...product, transfers: "automatic" as const },
    { transfers: "review" as const },
    pro,
    null,
  ],
  [
    "transfers turned off",
    { ...product, transfers: "review" as const },
    { transfers: "off" as const },
    pro,
    "noTransfers",
  ],
  [
    "automatic transfers of a product that is not in the portal",
    { ...product, portal_enabled: false },
    { transfers: "automatic" as const },
    pro,
    null,
  ],
  ["a longer warning", product, { expiring_soon_days: 30 }, pro, null],
] as const)("%s", (_, before, changes, organization, consequence) => {
  expect(consequenceOf(before, changes, organization)).toBe(consequence);
});
