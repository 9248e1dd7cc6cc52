import { ipsAtOnce } from "@countersign/store/queries/licenses/drain-ips";
import { type LicenseView, ownLicenseViews } from "@countersign/store/queries/licenses/views";
import { productById } from "@countersign/store/queries/products/products";
import type { Database } from "@countersign/store/store";
import type { ProductRow } from "@countersign/store/tables/products";
import type { OrganizationContext } from "../../api/context.ts";
import { Problem } from "../../http/problem.ts";
import { type Drained, drain } from "../licenses/drain.ts";

/** A license and its product, as they are now. */
export interface Licensed {
  readonly license: LicenseView;
  readonly product: ProductRow;
}

/**
 * The license of a transfer. In a transaction, lock it first, and the transfer after it: everything that changes the
 * license's customer or deletes it does so in this order.
 */
export async function licensedOf(
  db: Database,
  context: OrganizationContext,
  licenseId: string,
): Promise<Licensed> {
  const [license] = await ownLicenseViews(db, context.organization.id, [licenseId]);
  const product = license === undefined ? undefined : await productById(db, license.product_id);
  if (license === undefined || product === undefined) throw new Problem("not_found");
  return { license, product };
}

const nothingDrained: Drained = new Map();

/**
 * Removes the IP addresses that are too many for the transaction of the transfer. `check` throws if the transfer would
 * be refused, and returns null if the IP addresses stay.
 */
export async function drainForTransfer(
  context: OrganizationContext,
  licenseId: string,
  check: () => Promise<Licensed | null>,
): Promise<Drained> {
  const { id: organizationId } = context.organization;
  const [license] = await ownLicenseViews(context.store.reads, organizationId, [licenseId]);
  if (license === undefined || license.ip_count <= ipsAtOnce) return nothingDrained;
  const transferable = await check();
  if (transferable === null || transferable.product.transfer_resets_ips === 0) return nothingDrained;
  return drain(context.store, [licenseId]);
}
