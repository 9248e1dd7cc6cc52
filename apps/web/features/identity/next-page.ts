import { useRouter } from "@tanstack/react-router";
import { queryClient } from "../../api/queries.ts";
import { localPath } from "./local-path.ts";

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
