import { queryOptions } from "@tanstack/react-query";
import { callAuth } from "../../api/client.ts";

interface OpenSession {
  readonly user: { readonly name: string; readonly email: string };
}

/** The signed-in user on public pages; null if no one is signed in. */
export const askSession = queryOptions({
  queryKey: ["getSession"],
  queryFn: () => callAuth<OpenSession | null>("getSession"),
  staleTime: 0,
});
