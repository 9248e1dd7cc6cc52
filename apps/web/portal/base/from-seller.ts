const saved = "countersign.portal.seller";

/** The slug of the seller that the person came from: `?seller=`, kept for this tab. */
export function sellerSlug(): string | null {
  const given = new URLSearchParams(window.location.search).get("seller");
  if (given !== null && /^[a-z0-9-]{1,64}$/i.test(given)) sessionStorage.setItem(saved, given);
  return sessionStorage.getItem(saved);
}
