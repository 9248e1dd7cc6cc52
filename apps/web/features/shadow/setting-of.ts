import type { Permission } from "@countersign/domain/members/permissions";
import { paths } from "../../session/paths.ts";
import type { PageLink } from "../../ui/page-link.ts";
import type { Change } from "./draft.ts";

interface Setting {
  readonly to: PageLink;
  /** Any of these permissions is enough to change it. */
  readonly needs: readonly Permission[];
}

/** Where a change is made. */
export function settingOf(
  change: Change,
  at: { readonly slug: string; readonly productId: string },
): Setting {
  const { slug, productId } = at;
  switch (change.type) {
    case "max_ips":
      // The product's setting is for new licenses; those that exist are changed in bulk.
      return {
        to: paths.licenses(slug, { product_id: productId }),
        needs: ["licenses:update"],
      };
    case "registration":
      return { to: paths.product(slug, productId), needs: ["products:manage"] };
    case "block_version":
      return { to: paths.productVersions(slug, productId), needs: ["products:manage"] };
    case "block_ip":
      return { to: paths.ipBlocks(slug, { add: change.cidr }), needs: ["ip_blocks:manage"] };
  }
}
