import { everyRequest } from "@countersign/store/queries/requests/filter";
import { searchBounds, searchRequests } from "@countersign/store/queries/requests/search";
import { type Context, requireAccess, requireOrganization } from "../../http/manage/context.ts";
import { requestsKeptSince } from "./kept-since.ts";

export const mostDeviceIds = 10;
/** Of the newest requests, so many are read, for at most so long. */
const mostRows = 500;
const longestMs = 50;

/**
 * The device IDs of the latest requests from each IP address, the newest first; null without `requests:view`. Either of
 * one license, or from some IP addresses.
 */
export async function deviceIds(
  context: Context,
  of: { readonly licenseId: string } | { readonly ips: readonly string[] },
): Promise<ReadonlyMap<string, readonly string[]> | null> {
  if (!requireAccess(context).permissions.has("requests:view")) return null;
  const organization = requireOrganization(context);
  const fromMs = await requestsKeptSince(context, organization);
  const search = {
    filter: { ...everyRequest(organization.id), ...of },
    range: { fromMs, untilMs: Number.MAX_SAFE_INTEGER },
    after: null,
    limit: mostRows,
  };
  const { rows } = await searchRequests(context.store.listReads, search, { ...searchBounds, longestMs });
  const found = new Map<string, Set<string>>();
  for (const { ip, device_id: deviceId } of rows) {
    const known = found.get(ip) ?? new Set();
    if (deviceId !== null && known.size < mostDeviceIds) found.set(ip, known.add(deviceId));
  }
  return new Map([...found].map(([ip, ids]) => [ip, [...ids]]));
}
