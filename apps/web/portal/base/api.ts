import { portal } from "virtual:portal-routes";
import { portalBase } from "@countersign/contract/api/bases";
import type { Route } from "@countersign/contract/api/route";
import type { PortalContract } from "@countersign/contract/portal/routes";
import type { z } from "zod";
import type { AnyInput, Rest, WithParams } from "../../api/client.ts";
import { place, search, send } from "../../api/send.ts";

/** The routes of the portal's API, by their IDs in the contract. */
type Routes = {
  [Id in keyof PortalContract as PortalContract[Id] extends Route<infer _Q, infer _B, infer _A>
    ? Id
    : never]: PortalContract[Id];
};
export type RouteId = keyof Routes & string;
type Of<Id extends RouteId> =
  Routes[Id] extends Route<infer Q, infer B, infer A> ? { q: Q; b: B; a: A } : never;
export type Answer<Id extends RouteId> = z.output<Of<Id>["a"]>;

interface Content<Id extends RouteId> {
  readonly query?: Partial<z.input<Of<Id>["q"]>>;
  readonly body?: z.input<Of<Id>["b"]>;
  readonly signal?: AbortSignal;
}

export type Input<Id extends RouteId> = WithParams<Routes[Id]["path"]> & Content<Id>;

export type Me = Answer<"getPortalMe">;
export type Seller = Answer<"getPortalSeller">;
export type LicenseSummary = Answer<"listPortalLicenses">["data"][number];
export type License = Answer<"getPortalLicense">;
export type Transfer = Answer<"cancelTransfer">;

/** Calls a route of the portal's API. Throws an `ApiProblem` if the server refuses. */
export async function call<Id extends RouteId>(id: Id, ...[input]: Rest<Input<Id>>): Promise<Answer<Id>> {
  const { params, query, body, signal }: AnyInput = input ?? {};
  const { url, method } = place(portalBase, portal[id], params);
  const response = await send(url + search(query), { method, body, signal });
  return (response.status === 204 ? undefined : await response.json()) as Answer<Id>;
}
