import * as contract from "@countersign/contract/manage/products";
import { parseCustomResponse } from "@countersign/domain/custom-response/template";
import { deleteProduct, productsOf, updateProduct } from "@countersign/store/queries/products/products";
import type { ProductRow } from "@countersign/store/tables/products";
import { type BoundRoute, bind } from "../../api/bind.ts";
import { asColumns } from "../../api/columns.ts";
import { checkUnchanged, nextUpdatedAt } from "../../api/context.ts";
import { decodeCursor, pageOf } from "../../api/page.ts";
import { audit, difference } from "../audit-log/record.ts";
import { checkLimit, checkVersionModule } from "../plans/limits.ts";
import { addProduct } from "./create.ts";
import { currentProduct } from "./current.ts";
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
