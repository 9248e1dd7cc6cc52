import type { Plan } from "@countersign/domain/quota/limit";
import { useQuery } from "@tanstack/react-query";
import type { Item } from "../../api/client.ts";
import { ask } from "../../api/queries.ts";
import { lastOrganization } from "../../session/current-organization.ts";

export type Organization = Item<"listOrganizations">;
export type Product = Item<"listProducts">;
export type License = Item<"listProductLicenses">;

export type Progress =
  | { readonly step: "unknown"; readonly error: Error | null }
  | { readonly step: "purpose" }
  | { readonly step: "organization"; readonly defaultPlan: Plan }
  | { readonly step: "product"; readonly organization: Organization }
  | { readonly step: "license"; readonly organization: Organization; readonly product: Product }
  | {
      readonly step: "try";
      readonly organization: Organization;
      readonly product: Product;
      readonly license: License;
    };

/** The first step that is not done. Read from the server, so that a reload loses nothing. */
export function useProgress(): Progress {
  const settings = useQuery(ask("getPlatformSettings"));
  const organizations = useQuery(ask("listOrganizations", { query: { limit: 200 } }));
  const all = organizations.data?.data ?? [];
  const organization = all.find(({ slug }) => slug === lastOrganization()) ?? all[0];
  const products = useQuery({
    ...ask("listProducts", { params: { organization_id: organization?.id ?? "" }, query: { limit: 1 } }),
    enabled: organization !== undefined,
  });
  const product = products.data?.data[0];
  const licenses = useQuery({
    ...ask("listProductLicenses", { params: { product_id: product?.id ?? "" }, query: { limit: 1 } }),
    enabled: product !== undefined,
  });
  const license = licenses.data?.data[0];
  const unknown = (error: Error | null): Progress => ({ step: "unknown", error });

  if (settings.data === undefined) return unknown(settings.error);
  if (settings.data.default_plan_set_by === "nobody") return { step: "purpose" };
  if (organizations.data === undefined) return unknown(organizations.error);
  if (organization === undefined) return { step: "organization", defaultPlan: settings.data.default_plan };
  if (products.data === undefined) return unknown(products.error);
  if (product === undefined) return { step: "product", organization };
  if (licenses.data === undefined) return unknown(licenses.error);
  if (license === undefined) return { step: "license", organization, product };
  return { step: "try", organization, product, license };
}
