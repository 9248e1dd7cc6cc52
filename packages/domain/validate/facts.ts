import type { JsonObject } from "../custom-response/template.ts";
import type { BillingState } from "../quota/limit.ts";
import type { VersionCatalog } from "../versions/catalog.ts";
import type { VersionPin } from "../versions/gate.ts";

/** What is known about the product and its organization when a request is decided. */
export interface ProductFacts {
  readonly productId: string;
  readonly productName: string;
  readonly organizationId: string;
  readonly organizationName: string;
  readonly deleted: boolean;
  readonly status: ProductStatus;
  readonly organizationSuspended: boolean;
  readonly billing: BillingState;
  readonly expiryEnforced: boolean;
  readonly trackIp: boolean;
  readonly registration: IpRegistration;
  readonly ipv6Prefix: 64 | 128;
  /** Null if the version module is off or the plan does not include it. */
  readonly versions: { readonly catalog: VersionCatalog; readonly enforced: boolean } | null;
  /** Null if the custom response module is off. */
  readonly custom: { readonly template: JsonObject | null; readonly onRefusal: boolean } | null;
}

export type ProductStatus = "active" | "disabled" | "archived";
export type IpRegistration = "off" | "until_limit" | "first_only";

export interface LicenseFacts {
  readonly id: string;
  readonly revoked: boolean;
  /** Null for a license that does not expire, or whose term has not started. */
  readonly expiresAtMs: number | null;
  /** Null after the first successful validation; before it, the term that the first one will start, if any. */
  readonly unused: { readonly termMs: number | null } | null;
  /** Null if the license does not limit IP addresses. */
  readonly ips: { readonly max: number; readonly registered: number } | null;
  /** Read only for a product with the version module; null otherwise. */
  readonly pin: VersionPin;
  /** Read only for a product with a custom response; null otherwise. */
  readonly custom: CustomFacts | null;
}

/** What a custom response can say about a license beyond the standard members. */
interface CustomFacts {
  readonly key: string;
  readonly override: JsonObject | null;
  readonly customer: CustomerFacts | null;
}

export interface CustomerFacts {
  readonly email: string | null;
  readonly name: string | null;
  readonly discordId: string | null;
}

/**
 * What is known about the caller: whether a block list contains its IP address, and whether it is registered to the
 * license.
 */
export interface CallerFacts {
  readonly blocked: boolean;
  readonly registered: boolean;
  readonly version: string | null;
}
