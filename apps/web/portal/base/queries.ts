import {
  infiniteQueryOptions,
  MutationCache,
  QueryCache,
  QueryClient,
  queryOptions,
} from "@tanstack/react-query";
import { ApiProblem } from "../../api/problem.ts";
import { call, type License, type Me } from "./api.ts";
import { pageChanges } from "./router.tsx";

const meKey = ["me"] as const;

let sessionEnded = false;

/** A session that ended elsewhere is noticed by whatever is asked for first. */
const onError = (error: Error) => {
  if (isSignedOut(error)) void queryClient.invalidateQueries({ queryKey: meKey });
};

export const queryClient = new QueryClient({
  queryCache: new QueryCache({ onError }),
  mutationCache: new MutationCache({ onError }),
  defaultOptions: {
    // Without a network, a page reports it instead of waiting silently.
    mutations: { networkMode: "always" },
    queries: {
      networkMode: "always",
      staleTime: 5_000,
      retry: (failures, error) => failures < 2 && !(error instanceof ApiProblem && error.status < 500),
    },
  },
});

/** The signed-in customer; null if there is none. */
export const meQuery = queryOptions({
  queryKey: meKey,
  queryFn: async ({ signal }): Promise<Me | null> => {
    try {
      return await call("getPortalMe", { signal });
    } catch (error) {
      if (!isSignedOut(error)) throw error;
      sessionEnded = queryClient.getQueryData(meKey) != null || sessionEnded;
      return null;
    }
  },
});

export const optionsQuery = queryOptions({
  queryKey: ["options"],
  queryFn: ({ signal }) => call("getPortalOptions", { signal }),
  staleTime: 300_000,
});

export const sellerQuery = (slug: string) =>
  queryOptions({
    queryKey: ["seller", slug],
    queryFn: ({ signal }) => call("getPortalSeller", { params: { slug }, signal }),
    staleTime: 300_000,
    retry: false,
  });

export const licensesQuery = infiniteQueryOptions({
  queryKey: ["licenses", "newest"],
  queryFn: ({ signal, pageParam }) => call("listPortalLicenses", { query: cursor(pageParam), signal }),
  initialPageParam: null as string | null,
  getNextPageParam: (last) => last.next_cursor,
});

/** All of one seller, of which the list across sellers has only the newest. */
export const licensesOfQuery = (organizationId: string) =>
  infiniteQueryOptions({
    queryKey: ["licenses", organizationId],
    queryFn: ({ signal, pageParam }) =>
      call("listPortalLicenses", {
        query: { ...cursor(pageParam), organization_id: organizationId },
        signal,
      }),
    initialPageParam: null as string | null,
    getNextPageParam: (last) => last.next_cursor,
  });

export const transfersQuery = infiniteQueryOptions({
  queryKey: ["transfers"],
  queryFn: ({ signal, pageParam }) => call("listPortalTransfers", { query: cursor(pageParam), signal }),
  initialPageParam: null as string | null,
  getNextPageParam: (last) => last.next_cursor,
});

export const licenseQuery = (licenseId: string) =>
  queryOptions({
    queryKey: ["license", licenseId],
    queryFn: ({ signal }): Promise<License> =>
      call("getPortalLicense", { params: { license_id: licenseId }, signal }),
  });

export const sessionsQuery = queryOptions({
  queryKey: ["sessions"],
  queryFn: ({ signal }) => call("listPortalSessions", { signal }),
});

/** Whether a session ended without the person signing out here. */
export function hasSessionEnded(): boolean {
  return sessionEnded;
}

/** Forgets everything that was loaded for another person. */
export function signedIn(me: Me): void {
  pageChanges();
  sessionEnded = false;
  queryClient.removeQueries({ predicate: ({ queryKey }) => isPersonal(queryKey[0]) });
  queryClient.setQueryData(meKey, me);
}

export function signedOut(): void {
  pageChanges();
  sessionEnded = false;
  queryClient.setQueryData(meKey, null);
  queryClient.removeQueries({ predicate: ({ queryKey }) => isPersonal(queryKey[0]) });
}

/** The same person has an identity more or less, and so other licenses. */
export function identitiesChanged(me: Me): void {
  queryClient.setQueryData(meKey, me);
  queryClient.removeQueries({ queryKey: ["license"] });
  listsChanged();
}

/** After an action, the response is the license as it is now, and the lists are out of date. */
export function licenseChanged(license: License): void {
  queryClient.setQueryData(licenseQuery(license.id).queryKey, license);
  listsChanged();
}

export function listsChanged(): void {
  void queryClient.invalidateQueries({ queryKey: ["licenses"] });
  void queryClient.invalidateQueries({ queryKey: transfersQuery.queryKey });
}

function isPersonal(key: unknown): boolean {
  return key !== "me" && key !== "options" && key !== "seller";
}

function isSignedOut(error: unknown): boolean {
  return error instanceof ApiProblem && error.status === 401;
}

function cursor(value: string | null): { cursor?: string } {
  return value === null ? {} : { cursor: value };
}
