import { networksOf, parseQueriedIp, type QueriedIp } from "@countersign/domain/ip/cidr";
import { ipBlocksOfCidrs } from "@countersign/store/queries/ip-blocks/blocks";
import type { Database } from "@countersign/store/store";
import type { IpBlockRow } from "@countersign/store/tables/licenses";

/** Whose blocks count besides the platform's. */
interface BlockedFor {
  /** Null if only the platform's count. */
  readonly organizationId: string | null;
  readonly customerId?: string | null;
  readonly licenseId?: string;
}

const addressesAtOnce = 50;

/** Which of these IP addresses, written as they are counted, are blocked now. */
export async function blockedAmong(
  db: Database,
  ips: readonly string[],
  whose: BlockedFor,
  nowMs: number,
): Promise<ReadonlySet<string>> {
  const blocked = new Set<string>();
  for (let start = 0; start < ips.length; start += addressesAtOnce) {
    const networks = new Map(
      ips.slice(start, start + addressesAtOnce).map((ip) => {
        const queriedIp = parseQueriedIp(ip);
        return [ip, queriedIp === null ? [] : networksThatCover(queriedIp)];
      }),
    );
    const cidrs = [...new Set([...networks.values()].flat())];
    const blocks = cidrs.length === 0 ? [] : await ipBlocksOfCidrs(db, whose.organizationId, cidrs);
    const held = new Set(
      blocks.filter((block) => isInForce(block, nowMs) && concerns(block, whose)).map(({ cidr }) => cidr),
    );
    if (held.size === 0) continue;
    for (const [ip, covering] of networks) if (covering.some((cidr) => held.has(cidr))) blocked.add(ip);
  }
  return blocked;
}

/** A block of one address inside a /64 does not apply to the /64. */
export function networksThatCover({ address, isNetwork }: QueriedIp): string[] {
  const networks = networksOf(address);
  return isNetwork ? networks.slice(0, 65) : networks;
}

export function isInForce(block: IpBlockRow, nowMs: number): boolean {
  return block.expires_at === null || block.expires_at > nowMs;
}

export function concerns({ tier, scope_id: scopeId }: IpBlockRow, whose: BlockedFor): boolean {
  switch (tier) {
    case "platform":
    case "organization":
      return true;
    case "customer":
      return scopeId === whose.customerId;
    case "license":
      return scopeId === whose.licenseId;
  }
}
