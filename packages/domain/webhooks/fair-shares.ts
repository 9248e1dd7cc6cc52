/** What one endpoint could take now. */
export interface Wish {
  readonly endpointId: string;
  readonly organizationId: string;
  readonly atMost: number;
}

/**
 * Divides `total` among endpoints: organizations take turns, and within one its endpoints do. The backlog of one
 * organization therefore costs another at most half of the total, whatever its size and its number of endpoints. What
 * comes first in `wishes` comes first when there is not one for each. `mostOf` is what an organization may get at most.
 */
export function fairShares(
  wishes: readonly Wish[],
  total: number,
  mostOf: (organizationId: string) => number = () => total,
): ReadonlyMap<string, number> {
  const shares = new Map<string, number>();
  const grouped = Map.groupBy(wishes, (wish) => wish.organizationId);
  let organizations = [...grouped].map(([organizationId, own]) => ({
    own: own.filter((wish) => wish.atMost > 0),
    left: mostOf(organizationId),
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
      // Whoever has all it wanted leaves, and the one behind it moves up into its place.
      organization.next = share < wish.atMost ? at + 1 : at;
      if (share === wish.atMost) organization.own.splice(at, 1);
    }
  }
  return shares;
}
