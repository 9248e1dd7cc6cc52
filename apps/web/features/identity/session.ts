import { queryOptions } from "@tanstack/react-query";
import { callAuth } from "../../api/client.ts";

export interface OpenSession {
  readonly user: { readonly name: string; readonly email: string };
}

/** Who is signed in, for pages that anybody may see; null when nobody is. */
export const askSession = queryOptions({
  queryKey: ["getSession"],
  queryFn: () => callAuth<OpenSession | null>("getSession"),
  staleTime: 0,
});
