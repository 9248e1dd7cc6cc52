import { useRouter } from "@tanstack/react-router";
import { queryClient } from "../../api/queries.ts";
import { pageOfThisSite } from "./page-of-this-site.ts";

/** Where somebody goes who has just signed in. Nothing that was read for somebody else before is kept. */
export function useEnter(): (next: string | undefined) => void {
  const { history } = useRouter();
  return (next) => {
    queryClient.removeQueries({ type: "inactive" });
    // What is on this page now: it may be the page to go to.
    void queryClient.invalidateQueries();
    history.push(pageOfThisSite(next));
  };
}
