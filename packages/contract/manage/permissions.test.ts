import { expect, test } from "bun:test";
import type { Permission } from "@countersign/domain/members/permissions";
import { contractRoutes } from "./routes.ts";

/**
 * What a member of an organization may do with each permission. Tests of all routes check that others are refused, but
 * take the permission itself from the route.
 */
const allowed: Partial<Record<Permission, string>> = {
  "licenses:view":
    "listLicenses listProductLicenses getLicense bulkLicenses getLicenseEmail listIps getIp listIpLicenses " +
    "listLicenseIps listOrganizationIpBlocks listLicenseIpBlocks",
  "licenses:create": "createLicenses",
  "licenses:update": "updateLicense renewLicense rotateLicenseKey sendLicenseEmail addLicenseIp",
  "licenses:revoke": "revokeLicense reinstateLicense",
  "licenses:delete": "deleteLicense",
  "licenses:reset_ips": "resetLicenseIps removeLicenseIp",
  "customers:view": "listCustomerIpBlocks",
  "ip_blocks:manage": ["Organization", "Customer", "License"]
    .flatMap((level) => ["add", "update", "remove"].map((verb) => `${verb}${level}IpBlock`))
    .join(" "),
  "products:view": "listVersions previewCustomResponse",
  "products:manage": "addVersion replaceVersions updateVersion deleteVersion",
  "requests:view": "getLastValidation",
};
const rows = Object.entries(allowed).flatMap(([permission, ids]) =>
  ids.split(" ").map((id): [id: string, permission: string] => [id, permission]),
);
test.each(rows)("%s needs the permission %s", (id, permission) => {
  const route = contractRoutes.find((one) => one.id === id);
  expect(route?.access).toMatchObject({ who: "member", may: permission });
});
