import type { JsonObject } from "../custom-response/template.ts";
import type { VersionCatalog } from "../versions/catalog.ts";
import type { VersionPin } from "../versions/gate.ts";

/** What is known of the product, and of the organization that sells it, when a request is decided. */
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
  /** Null when the version module is off, or the plan does not include it. */
  readonly versions: { readonly catalog: VersionCatalog; readonly enforced: boolean } | null;
  /** Null when the custom response module is off. */
  readonly custom: { readonly template: JsonObject | null; readonly onRefusal: boolean } | null;
}

export type ProductStatus = "active" | "disabled" | "archived";
export type BillingState = "active" | "grace" | "suspended" | "cancelled";
export type IpRegistration = "off" | "until_limit" | "first_only";

export interface LicenseFacts {
  readonly id: string;
  readonly revoked: boolean;
  /** Null for a license that does not expire, or whose term has not started. */
  readonly expiresAtMs: number | null;
  /** Null once it has passed a validation; before, the term that will start with the first one, if it has any. */
  readonly unused: { readonly termMs: number | null } | null;
  /** Null when the license's IP system is off. */
  readonly ips: { readonly max: number; readonly registered: number } | null;
  /** Read only for a product with a version module; null otherwise. */
  readonly pin: VersionPin;
  /** Read only for a product with a custom response; null otherwise. */
  readonly custom: CustomFacts | null;
}

/** What a custom response may say of a license besides what every answer says. */
export interface CustomFacts {
  readonly key: string;
  readonly override: JsonObject | null;
  readonly customer: CustomerFacts | null;
}

export interface CustomerFacts {
  readonly email: string | null;
  readonly name: string | null;
  readonly discordId: string | null;
}

/** What is known of the caller: whether a block list names its address, and whether the license knows it. */
export interface CallerFacts {
  readonly blocked: boolean;
  readonly registered: boolean;
  readonly version: string | null;
}
