import * as contract from "@countersign/contract/manage/explain";
import { parseQueriedIp, type QueriedIp } from "@countersign/domain/ip/cidr";
import { shownPrefix } from "@countersign/domain/products/api-key";
import { quotaDay } from "@countersign/domain/quota/day";
import {
  type BlockDetails,
  type ExplainedIp,
  type ExplainedRequest,
  type ExplainedRule,
  explain,
} from "@countersign/domain/validate/explain";
import { explainAgain } from "@countersign/domain/validate/explain-again";
import { isRegistered, licenseFacts, productState } from "@countersign/store/queries/explain/request-facts";
import { ipBlocksOfCidrs } from "@countersign/store/queries/ip-blocks/blocks";
import { registeredIps } from "@countersign/store/queries/licenses/ips";
import { licenseById } from "@countersign/store/queries/licenses/views";
import { workingApiKeys } from "@countersign/store/queries/products/products";
import { everyRequest } from "@countersign/store/queries/requests/filter";
import { requestById } from "@countersign/store/queries/requests/search";
import { usageSince } from "@countersign/store/queries/usage/daily";
import type { Database, Store } from "@countersign/store/store";
import type { IpBlockRow, LicenseRow } from "@countersign/store/tables/licenses";
import { type BoundRoute, bind, type MemberContext } from "../../api/context.ts";
import { milliseconds } from "../../api/page.ts";
import { Problem } from "../../http/problem.ts";
import { concerns, isInForce, networksThatCover } from "../ips/blocked.ts";
import { outcomeOf, requestsKeptSince } from "../requests/show.ts";

export const explainRoutes: readonly BoundRoute[] = [
  bind(contract.explainLicense, async (context, { body }) => {
    const { id: licenseId, product_id: productId } = context.license;
    const question = {
      ip: body.ip ?? null,
      version: body.version ?? null,
      atMs: body.at === undefined ? context.nowMs : milliseconds(body.at),
    };
    const request = await explainedRequest(
      context.store,
      { productId, licenseId },
      question,
      viewOf(context),
    );
    if (request === null || request.license === null) throw new Problem("license_not_found");
    const { status, valid, rules } = explain(request);
    return { status, valid, rules: shownRules(rules) };
  }),

  bind(contract.explainRequest, async (context, input) => {
    const { organization, store, nowMs } = context;
    const filter = { ...everyRequest(organization.id), requestId: input.params.request_id };
    const fromMs = await requestsKeptSince(context, organization);
    const row = await requestById(store.listReads, filter, { fromMs, untilMs: Number.MAX_SAFE_INTEGER });
    if (row === null) throw new Problem("request_not_found");
    const subject = { productId: row.product_id, licenseId: row.license_id };
    const { ip, version } = row;
    const request = await explainedRequest(store, subject, { ip, version, atMs: nowMs }, viewOf(context));
    // An organization's products are only marked as deleted, so this one has never been stored.
    if (request === null) throw new Problem("request_not_found");
    const logged = {
      endpoint: row.endpoint,
      outcome: outcomeOf(row.status),
      licenseId: row.license_id,
      problem: row.problem,
      count: row.count,
      sandbox: row.sandbox === 1,
    };
    const { rules, ...again } = explainAgain(logged, request);
    return { ...again, rules: shownRules(rules) };
  }),
];

function viewOf(context: MemberContext) {
  return { nowMs: context.nowMs, showsLicense: context.organizationAccess.permissions.has("licenses:view") };
}

function shownRules(rules: readonly ExplainedRule[]) {
  return rules.map((rule) => ({ ...rule, facts: { ...rule.facts } }));
}

/** How many registered IP addresses an explanation lists. */
const maxListedIps = 20;

interface Asked {
  readonly ip: string | null;
  readonly version: string | null;
  readonly atMs: number;
}

/**
 * Reads what a validation would read, and writes nothing. There is no license if it is not known or has been deleted;
 * null if there is no such product, not even a deleted one.
 */
export async function explainedRequest(
  { reads, sealer }: Pick<Store, "reads" | "sealer">,
  { productId, licenseId }: { readonly productId: string; readonly licenseId: string | null },
  { ip, version, atMs }: Asked,
  { nowMs, showsLicense }: { readonly nowMs: number; readonly showsLicense: boolean },
): Promise<ExplainedRequest | null> {
  const license = licenseId === null ? undefined : await licenseById(reads, licenseId);
  const product = await productState(reads, sealer, productId);
  if (product === null) return null;
  const queriedIp = ip === null ? null : parseQueriedIp(ip);
  const keys = await workingApiKeys(reads, [productId], atMs);
  return {
    product: product.facts,
    license: license === undefined ? null : licenseFacts(sealer, license),
    ip:
      queriedIp === null || license === undefined
        ? null
        : await explainedIp(reads, license, queriedIp, {
            ipv6Prefix: product.facts.ipv6Prefix,
            atMs,
            showsLicense,
          }),
    version,
    atMs,
    admission: {
      apiKeys: keys.map((key) => shownPrefix(key.public_id)),
      dailyLimit: product.dailyLimit,
      usedThatDay: await usedOn(reads, productId, quotaDay(atMs), quotaDay(nowMs)),
    },
    details: {
      suspendedAtMs: product.suspendedAtMs,
      revokedAtMs: license?.revoked_at ?? null,
      revokedReason: showsLicense ? (license?.revoked_reason ?? null) : null,
      registeredIps:
        showsLicense && license !== undefined
          ? (await registeredIps(reads, license.id, maxListedIps)).map((row) => row.ip)
          : null,
    },
  };
}

interface IpQuestion {
  readonly ipv6Prefix: 64 | 128;
  readonly atMs: number;
  /** Whether the caller may view licenses, and with them the notes of blocks. */
  readonly showsLicense: boolean;
}

async function explainedIp(
  db: Database,
  license: LicenseRow,
  ip: QueriedIp,
  { ipv6Prefix, atMs, showsLicense }: IpQuestion,
): Promise<ExplainedIp> {
  const { id: licenseId, organization_id: organizationId, customer_id: customerId } = license;
  const covering = await ipBlocksOfCidrs(db, organizationId, networksThatCover(ip));
  const blocks = covering.filter(
    (block) => isInForce(block, atMs) && concerns(block, { organizationId, customerId, licenseId }),
  );
  const [first] = blocks.toSorted((a, b) => levels.indexOf(a.tier) - levels.indexOf(b.tier));
  return {
    text: ip.text,
    block: first === undefined ? null : blockDetails(first, showsLicense),
    registered: await isRegistered(db, licenseId, ip, ipv6Prefix),
  };
}

const levels: readonly IpBlockRow["tier"][] = ["platform", "organization", "customer", "license"];

function blockDetails(block: IpBlockRow, showsLicense: boolean): BlockDetails {
  const { tier: level, cidr, note, created_at: sinceMs, expires_at: untilMs } = block;
  if (level === "platform") return { level };
  return { level, cidr, note: showsLicense ? note : null, sinceMs, untilMs };
}

/** Days that have not begun have no requests. */
async function usedOn(db: Database, productId: string, day: number, today: number): Promise<number | null> {
  if (day < today) return null;
  const usage = await usageSince(db, [productId], day);
  return Number(usage.find((one) => Number(one.day) === day)?.used ?? 0);
}
