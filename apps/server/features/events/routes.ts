import * as contract from "@countersign/contract/manage/events";
import { type BoundRoute, bind } from "../../api/context.ts";
import { listEvents } from "./list.ts";

export const eventRoutes: readonly BoundRoute[] = [
  bind(contract.listEvents, (context, { query }) => {
    const { product_id: productId = null, license_id: licenseId = null } = query;
    return listEvents(context, { organizationId: context.organization.id, productId, licenseId }, query);
  }),

  bind(contract.listLicenseEvents, (context, { query }) => {
    const { id, organization_id: organizationId } = context.license;
    return listEvents(context, { organizationId, productId: null, licenseId: id }, query);
  }),
];
