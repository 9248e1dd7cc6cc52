import { parseQueriedIp, type QueriedIp } from "@countersign/domain/ip/cidr";
import { shownPrefix } from "@countersign/domain/products/api-key";
import { quotaDay } from "@countersign/domain/quota/day";
import type { BlockDetails, ExplainedIp, ExplainedRequest } from "@countersign/domain/validate/explain";
import { isRegistered, licenseFacts, productState } from "@countersign/store/queries/explain/request-facts";
import { ipBlocksOfCidrs } from "@countersign/store/queries/ip-blocks/blocks";
import { registeredIps } from "@countersign/store/queries/licenses/ips";
import { licenseById } from "@countersign/store/queries/licenses/views";
import { workingApiKeys } from "@countersign/store/queries/products/products";
import { usageSince } from "@countersign/store/queries/usage/daily";
import type { Database, Store } from "@countersign/store/store";
import type { IpBlockRow, LicenseRow } from "@countersign/store/tables/licenses";
import { concerns, isInForce, networksThatCover } from "../ips/blocked.ts";

/** How many registered IP addresses an explanation lists. */
const mostListedIps = 20;

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
  const asked = ip === null ? null : parseQueriedIp(ip);
  const keys = await workingApiKeys(reads, [productId], atMs);
  return {
    product: product.facts,
    license: license === undefined ? null : licenseFacts(sealer, license),
    ip:
      asked === null || license === undefined
        ? null
        : await explainedIp(reads, license, asked, product.facts.ipv6Prefix, atMs, showsLicense),
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
          ? (await registeredIps(reads, license.id, mostListedIps)).map((row) => row.ip)
          : null,
    },
  };
}

async function explainedIp(
  db: Database,
  license: LicenseRow,
  asked: QueriedIp,
  ipv6Prefix: 64 | 128,
  atMs: number,
  showsLicense: boolean,
): Promise<ExplainedIp> {
  const { id: licenseId, organization_id: organizationId, customer_id: customerId } = license;
  const covering = await ipBlocksOfCidrs(db, organizationId, networksThatCover(asked));
  const blocks = covering.filter(
    (block) => isInForce(block, atMs) && concerns(block, { organizationId, customerId, licenseId }),
  );
  const [first] = blocks.toSorted((a, b) => levels.indexOf(a.tier) - levels.indexOf(b.tier));
  return {
    text: asked.text,
    block: first === undefined ? null : blockDetails(first, showsLicense),
    registered: await isRegistered(db, licenseId, asked, ipv6Prefix),
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
