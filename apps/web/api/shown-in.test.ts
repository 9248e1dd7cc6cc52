import { expect, test } from "bun:test";
import { contractRoutes } from "@countersign/contract/manage/routes";
import { groupsAfter } from "./shown-in.ts";

const groupOf = new Map(contractRoutes.map(({ id, group }) => [id, group]));
const groups = new Set(groupOf.values());

test("every group that is named exists", () => {
  const named = [...groups].flatMap((group) => [...groupsAfter(group)]);
  expect(named.filter((group) => !groups.has(group))).toEqual([]);
});

/** What a page that stays open shows of a change that is made on it, or in a dialog over it. */
test.each([
  [
    "updateLicense",
    "getLicense listLicenses listProductLicenses listLicenseIps getLicenseEmail listLicenseEvents",
  ],
  [
    "updateLicense",
    "listAuditLog getCustomer listCustomers getIp listIpLicenses listTransfers getLicenseTrend",
  ],
  [
    "approveTransfer",
    "getTransfer listTransfers getLicense listLicenseIps listEvents getCustomer listIpLicenses",
  ],
  ["updateCustomer", "listCustomers getCustomer listLicenses getLicense"],
  ["addLicenseIpBlock", "listLicenseIpBlocks getIp listIps listLicenseIps listAuditLog"],
  ["addPlatformIpBlock", "listPlatformIpBlocks getPlatformIp listPlatformIps"],
  ["importLicenses", "listOrganizationImports getLicenseImport listLicenses"],
  ["createApiKey", "getProduct listProducts"],
  ["deleteProduct", "listProducts listLicenses"],
  ["updatePlan", "listPlans getRevenue getPlatformOrganization"],
  ["updatePlatformSettings", "getPlatformSettings listPlans getSetup"],
  [
    "updatePlatformOrganization",
    "getPlatformOrganization listPlatformOrganizations listOrganizations getRevenue",
  ],
  ["updateUser", "getUser listUsers getMe"],
  ["createAnnouncement", "listPlatformAnnouncements listAnnouncements"],
  ["startImpersonation", "getPlatformOrganization listOrganizations"],
  ["updateOrganization", "getBilling listOrganizations"],
  ["transferOwnership", "listOrganizations listMembers listRoles"],
  ["startCheckout", "getBilling listInvoices listOrganizations"],
  ["updateMember", "listMembers listRoles listOrganizations"],
  ["createInvitation", "listInvitations listRoles"],
  ["updateRole", "getRole listRoles listMembers listOrganizations"],
  ["updateMe", "getMe listMembers"],
  [
    "sendWebhookDeliveryNow",
    "listWebhookDeliveries getWebhookDelivery listWebhookAttempts getWebhookStatistics",
  ],
])("%s reloads %s", (change, reads) => {
  const after = groupsAfter(groupOf.get(change) ?? "");
  expect(reads.split(" ").filter((read) => !after.has(groupOf.get(read) ?? ""))).toEqual([]);
});
