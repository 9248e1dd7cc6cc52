import * as contract from "@countersign/contract/manage/downloads";
import { newId } from "@countersign/store/new-id";
import { downloadsOf, replaceDownloads } from "@countersign/store/queries/products/products";
import type { ProductDownloadRow } from "@countersign/store/tables/products";
import { type BoundRoute, bind } from "../../api/bind.ts";
import { audit } from "../audit-log/record.ts";
import { currentProduct } from "./current.ts";

/** What a product's customers can download in the portal. */
export const downloadRoutes: readonly BoundRoute[] = [
  bind(contract.getDownloads, async (context) => ({
    data: (await downloadsOf(context.store.reads, context.product.id)).map(show),
  })),

  bind(contract.replaceDownloads, async (context, { body }) =>
    context.transaction(async (db) => {
      const product = await currentProduct(db, context.product.id);
      const before = await downloadsOf(db, product.id);
      const rows = body.data.map((wanted, position) => {
        const download = withoutId(wanted);
        // One that stays as it was keeps its ID.
        const known = before.find((row) => isSame(row, download));
        const isTaken = body.data.slice(0, position).some((other) => known && isSame(known, other));
        const id = known === undefined || isTaken ? newId() : known.id;
        return { product_id: product.id, position, id, ...download };
      });
      await replaceDownloads(db, product.id, rows);
      const data = rows.map(show);
      if (JSON.stringify(before.map(show)) !== JSON.stringify(data)) {
        await audit(db, context, {
          action: "product.downloads_replaced",
          subject: { kind: "product", id: product.id, name: product.name },
          before: { downloads: before.map(withoutId) },
          after: { downloads: rows.map(withoutId) },
        });
      }
      return { data };
    }),
  ),
];

type Download = Pick<ProductDownloadRow, "title" | "url"> & {
  readonly min_version?: string | null | undefined;
  readonly checksum?: string | null | undefined;
};

function isSame(a: Download, b: Download): boolean {
  return JSON.stringify(withoutId(a)) === JSON.stringify(withoutId(b));
}

function withoutId({ title, url, min_version, checksum = null }: Download) {
  // Forms send empty text for a version that is not set.
  return { title, url, min_version: min_version || null, checksum };
}

function show({ id, ...download }: ProductDownloadRow) {
  return { id, ...withoutId(download) };
}
