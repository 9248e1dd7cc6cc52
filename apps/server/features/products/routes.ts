import * as downloads from "@countersign/contract/manage/downloads";
import * as contract from "@countersign/contract/manage/products";
import { parseCustomResponse } from "@countersign/domain/custom-response/template";
import { newId } from "@countersign/store/new-id";
import {
  deleteProduct,
  downloadsOf,
  productsOf,
  replaceDownloads,
  updateProduct,
} from "@countersign/store/queries/products/products";
import type { ProductDownloadRow, ProductRow } from "@countersign/store/tables/products";
import { type BoundRoute, bind, checkUnchanged, nextUpdatedAt } from "../../api/context.ts";
import { asColumns, decodeCursor, pageOf } from "../../api/page.ts";
import { audit, difference } from "../audit-log/record.ts";
import { checkLimit, checkVersionModule } from "../plans/limits.ts";
import { addProduct, currentProduct } from "./product.ts";
import { showProduct, showProducts } from "./show.ts";

export const productRoutes: readonly BoundRoute[] = [
  bind(contract.listProducts, async (context, { query }) => {
    const after = decodeCursor(query.cursor, ["number", "text"]);
    const rows = await productsOf(context.store.reads, context.organization.id, {
      after: after === null ? null : { createdAt: Number(after[0]), id: String(after[1]) },
      limit: query.limit + 1,
      status: query.status ?? null,
    });
    const shown = new Map(
      (await showProducts(context.store.reads, rows, context.nowMs)).map((product) => [product.id, product]),
    );
    return pageOf(
      rows,
      query.limit,
      (row) => [row.created_at, row.id],
      (row) => shown.get(row.id) ?? missing(row.id),
    );
  }),

  bind(contract.createProduct, async (context, { body: { name, ...settings } }) => {
    const { organization } = context;
    const organizationId = organization.id;
    return context.transaction(async (db) => {
      await checkLimit(db, organizationId, "products");
      if (settings.version_module_enabled === true) await checkVersionModule(db, organization);
      const { id, apiKey } = await addProduct(
        db,
        context.store.sealer,
        { organizationId, name, settings: settingColumns(settings) },
        context.nowMs,
      );
      const product = await showProduct(db, await currentProduct(db, id), context.nowMs);
      await audit(db, context, {
        action: "product.created",
        subject: { kind: "product", id, name },
        after: { name, ...settings },
      });
      return { ...product, api_key: apiKey };
    });
  }),

  bind(contract.getProduct, async (context) =>
    showProduct(context.store.reads, context.product, context.nowMs),
  ),

  bind(contract.updateProduct, async (context, { body: { updated_at: guard, name, ...settings } }) => {
    return context.transaction(async (db) => {
      const row = await currentProduct(db, context.product.id);
      checkUnchanged(context, row.updated_at, guard);
      if (settings.version_module_enabled === true && row.version_module_enabled === 0)
        await checkVersionModule(db, context.organization);
      const changes = {
        ...asColumns({ name }),
        ...settingColumns(settings),
      };
      const updatedAt = nextUpdatedAt(context, row.updated_at);
      await updateProduct(db, row.id, { ...changes, ...ipMerging(row, changes), updated_at: updatedAt });
      await audit(db, context, {
        action: "product.updated",
        subject: { kind: "product", id: row.id, name: name ?? row.name },
        ...difference(row, changes),
      });
      return showProduct(db, { ...row, ...changes, updated_at: updatedAt }, context.nowMs);
    });
  }),

  bind(contract.deleteProduct, async (context) => {
    return context.transaction(async (db) => {
      const { id, name } = await currentProduct(db, context.product.id);
      await deleteProduct(db, id, context.nowMs);
      await audit(db, context, { action: "product.deleted", subject: { kind: "product", id, name } });
    });
  }),
];

/** Individually counted addresses are merged into their /64 from now on, or no longer. */
function ipMerging(row: ProductRow, { ipv6_prefix: prefix }: Partial<ProductRow>): Partial<ProductRow> {
  if (prefix === undefined || prefix === row.ipv6_prefix) return {};
  return { merge_ips_after: prefix === 64 ? "" : null };
}

type Settings = Parameters<typeof asColumns>[0] & { custom_response?: object | null | undefined };

function settingColumns(settings: Settings): Partial<ProductRow> {
  const { custom_response: template, ...others } = settings;
  const columns: Partial<ProductRow> = asColumns(others);
  if (template === undefined) return columns;
  return { ...columns, custom_response: template === null ? null : JSON.stringify(checked(template)) };
}

/** What was checked is what is stored: the contract found no errors, so this is a plain copy. */
function checked(template: object): object {
  const parsed = parseCustomResponse(template);
  if (!parsed.ok) throw new Error(parsed.problem);
  return parsed.template;
}

function missing(id: string): never {
  throw new Error(`Product ${id} was read but is not in the result.`);
}

/** What a product's customers can download in the portal. */
export const downloadRoutes: readonly BoundRoute[] = [
  bind(downloads.getDownloads, async (context) => ({
    data: (await downloadsOf(context.store.reads, context.product.id)).map(show),
  })),

  bind(downloads.replaceDownloads, async (context, { body }) =>
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
