/** How much one endpoint could take now. */
interface Wish {
  readonly endpointId: string;
  readonly organizationId: string;
  readonly atMost: number;
}

/**
 * Divides `total` among endpoints: organizations take turns, and so do the endpoints within one. The backlog of one
 * organization therefore costs another at most half of the total, whatever its size and number of endpoints. If there
 * is not enough for everyone, the order of `wishes` decides. `maxOf` is the maximum per organization.
 */
export function fairShares(
  wishes: readonly Wish[],
  total: number,
  maxOf: (organizationId: string) => number = () => total,
): ReadonlyMap<string, number> {
  const shares = new Map<string, number>();
  const grouped = Map.groupBy(wishes, (wish) => wish.organizationId);
  let organizations = [...grouped].map(([organizationId, wishes]) => ({
    own: wishes.filter((wish) => wish.atMost > 0),
    left: maxOf(organizationId),
    next: 0,
  }));
  for (let left = total; left > 0; ) {
    organizations = organizations.filter(
      (organization) => organization.own.length > 0 && organization.left > 0,
    );
    if (organizations.length === 0) break;
    for (const organization of organizations) {
      if (left === 0) break;
      const at = organization.next % organization.own.length;
      const wish = organization.own[at];
      if (wish === undefined) continue;
      const share = (shares.get(wish.endpointId) ?? 0) + 1;
      shares.set(wish.endpointId, share);
      left -= 1;
      organization.left -= 1;
      // An endpoint that has all it wanted leaves, and the next one moves up.
      organization.next = share < wish.atMost ? at + 1 : at;
      if (share === wish.atMost) organization.own.splice(at, 1);
    }
  }
  return shares;
}
