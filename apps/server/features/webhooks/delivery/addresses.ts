import { lookup } from "node:dns/promises";
import { type Failure, failure, failureText } from "@countersign/contract/problems/failures";
import { type AllowedTargets, mayBeCalled, type Target } from "@countersign/domain/webhooks/targets";

/**
 * The IP addresses at which a target can be called, IPv4 first: without IPv6 connectivity, trying it costs time. A name
 * with any private IP address is not called at all. The connection uses what is returned here: the name is not resolved
 * again, when it could lead elsewhere.
 */
export async function checkedIps(
  target: Target,
  allowed: AllowedTargets,
  resolve: Resolver,
): Promise<readonly string[]> {
  const addresses = target.address === null ? await resolved(target.host, resolve) : [target.address];
  if (!addresses.every((address) => mayBeCalled(target, address, allowed)))
    throw new Unreachable(failure("webhook_host_not_public"));
  return [...new Set(addresses)].sort((a, b) => Number(a.includes(":")) - Number(b.includes(":")));
}

async function resolved(name: string, resolve: Resolver): Promise<readonly string[]> {
  let addresses: readonly string[] = [];
  try {
    addresses = await resolve(name);
  } catch (cause) {
    throw new Unreachable(failure("webhook_host_unknown"), { cause });
  }
  if (addresses.length === 0) throw new Unreachable(failure("webhook_host_without_ip"));
  return addresses;
}

/** An endpoint that cannot be called. The failure is for the seller. */
export class Unreachable extends Error {
  override readonly name = "Unreachable";
  readonly failure: Failure;

  constructor(failure: Failure, options?: ErrorOptions) {
    super(failureText(failure), options);
    this.failure = failure;
  }
}

/** All IP addresses of a name. */
export type Resolver = (name: string) => Promise<readonly string[]>;

export const systemResolver: Resolver = async (name) =>
  (await lookup(name, { all: true })).map(({ address }) => address);

/** How long a DNS lookup is cached: the IP addresses are still checked on every attempt. */
const cachedMs = 5_000;
const maxCachedNames = 1_000;

/** Resolves a name only once in a while, however many attempts use it. A failure is not cached. */
export function cachingResolver(resolve: Resolver, now = () => performance.now()): Resolver {
  const known = new Map<string, { untilMs: number; addresses: Promise<readonly string[]> }>();
  return (name) => {
    const before = known.get(name);
    if (before !== undefined && before.untilMs > now()) return before.addresses;
    const addresses = resolve(name);
    // The oldest is removed first: a map keeps its insertion order.
    known.delete(name);
    for (const old of known.keys()) {
      if (known.size < maxCachedNames) break;
      known.delete(old);
    }
    known.set(name, { untilMs: now() + cachedMs, addresses });
    addresses.catch(() => {
      if (known.get(name)?.addresses === addresses) known.delete(name);
    });
    return addresses;
  };
}
