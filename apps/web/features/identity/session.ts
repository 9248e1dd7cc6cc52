import { queryOptions } from "@tanstack/react-query";
import { useRouter } from "@tanstack/react-router";
import { callAuth } from "../../api/client.ts";
import { queryClient } from "../../api/queries.ts";

interface OpenSession {
  readonly user: { readonly name: string; readonly email: string };
}

/** The signed-in user on public pages; null if no one is signed in. */
export const askSession = queryOptions({
  queryKey: ["getSession"],
  queryFn: () => callAuth<OpenSession | null>("getSession"),
  staleTime: 0,
});

/** The page after signing in. Clears everything that was loaded for another user. */
export function useEnter(): (next: string | undefined) => void {
  const { history } = useRouter();
  return (next) => {
    queryClient.removeQueries({ type: "inactive" });
    // Also for the current page, which may be the target.
    void queryClient.invalidateQueries();
    history.push(localPath(next));
  };
}

/** A path on this site, or the first page: a link must not redirect users elsewhere. */
export function localPath(next: string | undefined): string {
  // Browsers treat a backslash as a slash and drop tabs and line breaks.
  if (next === undefined || !/^\/(?![/\\])[^\\\p{Cc}]*$/u.test(next)) return "/";
  const { origin, pathname, search, hash } = new URL(next, location.origin);
  return origin === location.origin ? pathname + search + hash : "/";
}
