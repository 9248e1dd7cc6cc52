import type { LicenseReference } from "@countersign/store/queries/licenses/views";
import type { OrganizationRow } from "@countersign/store/tables/organizations";
import type { TransferRow } from "@countersign/store/tables/portal";
import type { ProductRow } from "@countersign/store/tables/products";
import type { OrganizationAccess } from "./actor.ts";

/** The resource in the path, if the actor can know about it. */
export interface Subject {
  readonly organization: OrganizationRow | null;
  readonly organizationAccess: OrganizationAccess | null;
  readonly product: ProductRow | null;
  readonly license: LicenseReference | null;
  readonly transfer: TransferRow | null;
  /** In the portal: the caller as a customer of the organization. */
  readonly customer: CustomerReference | null;
}

/** A customer as their organization knows them. */
export interface CustomerReference {
  readonly id: string;
  readonly name: string;
}

export const noSubject: Subject = {
  organization: null,
  organizationAccess: null,
  product: null,
  license: null,
  transfer: null,
  customer: null,
};
