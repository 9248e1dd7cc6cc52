import type { Permission } from "@countersign/domain/members/permissions";
import type { Change } from "./draft.ts";

interface Setting {
  readonly to: string;
  readonly search?: Readonly<Record<string, unknown>>;
  /** Any of these permissions is enough to change it. */
  readonly needs: readonly Permission[];
}

/** Where a change is made. */
export function settingOf(
  change: Change,
  at: { readonly slug: string; readonly productId: string },
): Setting {
  const product = `/o/${at.slug}/products/${at.productId}`;
  switch (change.type) {
    case "max_ips":
      // The product's setting is for new licenses; those that exist are changed in bulk.
      return {
        to: `/o/${at.slug}/licenses`,
        search: { product_id: at.productId },
        needs: ["licenses:update"],
      };
    case "registration":
      return { to: product, needs: ["products:manage"] };
    case "block_version":
      return { to: `${product}/versions`, needs: ["products:manage"] };
    case "block_ip":
      return { to: `/o/${at.slug}/ip-blocks`, search: { add: change.cidr }, needs: ["ip_blocks:manage"] };
  }
}
