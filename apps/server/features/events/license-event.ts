import type { EventType } from "@countersign/domain/events/types";
import type { ShownLicense } from "@countersign/store/shown-license";
import type { Happening } from "./tell.ts";

/** An event of one license, with the license as it is now, or was last. */
export function licenseEvent(type: EventType, license: ShownLicense, particulars: object = {}): Happening {
  const { id, organization_id, product_id } = license;
  return {
    type,
    organizationId: organization_id,
    productId: product_id,
    licenseId: id,
    data: { organization_id, product_id, license_id: id, license, ...particulars },
  };
}
