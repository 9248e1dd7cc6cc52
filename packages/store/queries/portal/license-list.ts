import type { Database } from "../../store.ts";
import type { ProvenIdentities } from "./licenses.ts";

/** Where a page starts. */
export interface PortalPosition {
  /** First come some licenses of each seller, then the rest of those who have more. */
  readonly part: "newest" | "rest";
  readonly organizationId: string;
  /** The last license of this seller that was read; null before the first. */
  readonly licenseId: string | null;
  /** How many of this seller's licenses were listed before. */
  readonly shown: number;
  /** Whether a seller so far has more. */
  readonly hasRest: boolean;
}

export interface PortalPage {
  readonly ids: readonly string[];
  readonly next: PortalPosition | null;
  /** Sellers of the page with more licenses, which the list shows at its end. */
  readonly sellersWithMore: readonly string[];
}

/** The list starts with this many of each seller: nobody can hide the others by giving a stranger many licenses. */
export const maxPerSeller = 20;

/** Of one seller, as many licenses are read for one page, whether or not the customer can see them. */
const maxReadOfSeller = 400;
/** Licenses and sellers that are read for one page, whatever they contain. Then the page ends early. */
const maxRead = 4_000;
const maxSellers = 400;
const sellersAtOnce = 50;

/**
 * The person's licenses by seller, the newest of each first. Each read follows an index and is bounded, so that a page
 * costs the same however many licenses others have given the person.
 */
export async function portalLicensePage(
  db: Database,
  who: ProvenIdentities,
  after: PortalPosition | null,
  limit: number,
): Promise<PortalPage> {
  return after?.part === "rest" ? restPage(db, who, after, limit) : newestPage(db, who, after, limit);
}

async function newestPage(
  db: Database,
  who: ProvenIdentities,
  after: PortalPosition | null,
  limit: number,
): Promise<PortalPage> {
  const ids: string[] = [];
  const sellersWithMore: string[] = [];
  let read = 0;
  let visited = 0;
  for await (const seller of sellersOf(db, who, after?.organizationId ?? "")) {
    const { organizationId } = seller;
    const isContinued = after?.organizationId === organizationId;
    const hasRest = after?.hasRest === true || sellersWithMore.length > 0;
    const { licenseId, shown: before } = isContinued ? after : { licenseId: null, shown: 0 };
    const start: PortalPosition = { part: "newest", organizationId, licenseId, shown: before, hasRest };
    if (read >= maxRead || visited >= maxSellers) return { ids, next: start, sellersWithMore };
    const room = limit - ids.length;
    // A full page reads on until it knows whether there is anything left to list.
    const wanted = Math.min(Math.max(room, 1), maxPerSeller - start.shown);
    const page = await newestOf(db, seller, start.licenseId, wanted);
    read += page.read;
    visited += 1;
    if (room === 0) {
      if (page.ids.length === 0) continue;
      return { ids, next: start, sellersWithMore };
    }
    ids.push(...page.ids);
    if (!page.hasMore) continue;
    const shown = start.shown + page.ids.length;
    if (shown >= maxPerSeller || page.ids.length < wanted) sellersWithMore.push(organizationId);
    else return { ids, next: { ...start, licenseId: page.lastId, shown }, sellersWithMore };
  }
  const hasRest = after?.hasRest === true || sellersWithMore.length > 0;
  return { ids, next: hasRest ? startOfRest : null, sellersWithMore };
}

const startOfRest: PortalPosition = {
  part: "rest",
  organizationId: "",
  licenseId: null,
  shown: 0,
  hasRest: true,
};

/** What the first part left out, seller by seller. */
async function restPage(
  db: Database,
  who: ProvenIdentities,
  after: PortalPosition,
  limit: number,
): Promise<PortalPage> {
  const ids: string[] = [];
  let read = 0;
  let visited = 0;
  for await (const seller of sellersOf(db, who, after.organizationId)) {
    const { organizationId } = seller;
    const isContinued = after.organizationId === organizationId;
    const start = { ...startOfRest, organizationId, licenseId: isContinued ? after.licenseId : null };
    if (read >= maxRead || visited >= maxSellers || ids.length === limit)
      return { ids, next: start, sellersWithMore: [] };
    visited += 1;
    let lastId = start.licenseId;
    if (lastId === null) {
      const listed = await newestOf(db, seller, null, maxPerSeller);
      read += listed.read;
      if (!listed.hasMore) continue;
      lastId = listed.lastId;
    }
    const page = await newestOf(db, seller, lastId, limit - ids.length);
    read += page.read;
    ids.push(...page.ids);
    if (page.hasMore) return { ids, next: { ...start, licenseId: page.lastId }, sellersWithMore: [] };
  }
  return { ids, next: null, sellersWithMore: [] };
}

/** All of one seller, newest first. */
export async function portalLicensePageOfSeller(
  db: Database,
  who: ProvenIdentities,
  organizationId: string,
  afterId: string | null,
  limit: number,
): Promise<PortalPage> {
  for await (const seller of sellersOf(db, who, organizationId)) {
    if (seller.organizationId !== organizationId) break;
    const page = await newestOf(db, seller, afterId, limit);
    const next = { ...startOfRest, organizationId, licenseId: page.lastId };
    return { ids: page.ids, next: page.hasMore ? next : null, sellersWithMore: [] };
  }
  return { ids: [], next: null, sellersWithMore: [] };
}

/** The person as the customers of one seller: one for each identity that the seller sold to. */
interface Seller {
  readonly organizationId: string;
  readonly customerIds: readonly string[];
}

/** From this organization on, in the order of their IDs. */
async function* sellersOf(db: Database, who: ProvenIdentities, fromId: string): AsyncGenerator<Seller, void> {
  const identities = [
    ...who.emails.map((value) => ["email", value] as const),
    ...who.discordIds.map((value) => ["discord_id", value] as const),
  ];
  let start = fromId;
  let last: string | null = null;
  for (;;) {
    const customers = [];
    let end: string | null = null;
    for (const [column, value] of identities) {
      const customersOfIdentity = await customersFrom(db, column, value, start);
      customers.push(...customersOfIdentity);
      const lastId =
        customersOfIdentity.length < sellersAtOnce
          ? null
          : (customersOfIdentity.at(-1)?.organization_id ?? null);
      if (lastId !== null && (end === null || lastId < end)) end = lastId;
    }
    const groups = Map.groupBy(customers, ({ organization_id }) => organization_id);
    for (const organizationId of [...groups.keys()].sort()) {
      // Of those after `end`, another identity may have customers that were not read yet.
      if (organizationId === last || (end !== null && organizationId > end)) continue;
      yield { organizationId, customerIds: (groups.get(organizationId) ?? []).map(({ id }) => id) };
    }
    if (end === null) return;
    start = end;
    last = end;
  }
}

/** One identity at a time: then the index has them in the right order. */
async function customersFrom(db: Database, column: "email" | "discord_id", value: string, fromId: string) {
  return db
    .selectFrom("customers")
    .select(["id", "organization_id"])
    .where(column, "=", value)
    .where("organization_id", ">=", fromId)
    .orderBy("organization_id")
    .limit(sellersAtOnce)
    .execute();
}

interface Newest {
  readonly ids: readonly string[];
  readonly hasMore: boolean;
  /** The last license that was read, or the last that is listed if there are more. */
  readonly lastId: string | null;
  readonly read: number;
}

async function newestOf(
  db: Database,
  { organizationId, customerIds }: Seller,
  afterId: string | null,
  wanted: number,
): Promise<Newest> {
  const ids: string[] = [];
  let last = afterId;
  let read = 0;
  while (read < maxReadOfSeller) {
    const batch = wanted + 1;
    const rows = [];
    let end: string | null = null;
    for (const customerId of customerIds) {
      const licensesOfCustomer = await licensesBefore(db, customerId, organizationId, last, batch);
      rows.push(...licensesOfCustomer);
      const lastId = licensesOfCustomer.length < batch ? null : (licensesOfCustomer.at(-1)?.id ?? null);
      if (lastId !== null && (end === null || lastId > end)) end = lastId;
    }
    rows.sort((a, b) => (a.id < b.id ? 1 : -1));
    for (const { id, is_visible: isVisible } of rows) {
      // Of those before `end`, another customer may have licenses that were not read yet.
      if (end !== null && id < end) break;
      read += 1;
      if (isVisible === 1) {
        if (ids.length === wanted) return { ids, hasMore: true, lastId: ids.at(-1) ?? null, read };
        ids.push(id);
      }
      last = id;
    }
    if (end === null) return { ids, hasMore: false, lastId: last, read };
  }
  return { ids, hasMore: true, lastId: last, read };
}

async function licensesBefore(
  db: Database,
  customerId: string,
  organizationId: string,
  beforeId: string | null,
  limit: number,
) {
  let query = db
    .selectFrom("licenses")
    .select("id")
    .select((is) =>
      is
        .selectFrom("products")
        .innerJoin("organizations", "organizations.id", "products.organization_id")
        .select((one) => one.fn.countAll<number>().as("count"))
        .whereRef("products.id", "=", "licenses.product_id")
        .where("products.portal_enabled", "=", 1)
        .where("products.deleted_at", "is", null)
        .where("organizations.deleted_at", "is", null)
        .as("is_visible"),
    )
    .where("customer_id", "=", customerId)
    .where("organization_id", "=", organizationId);
  if (beforeId !== null) query = query.where("id", "<", beforeId);
  const rows = await query.orderBy("id", "desc").limit(limit).execute();
  return rows.map(({ id, is_visible }) => ({ id, is_visible: Number(is_visible) }));
}
