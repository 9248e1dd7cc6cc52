import { join } from "node:path";
import type { ImportSourceId } from "@countersign/domain/license-files/sources";

/** A file as a service exports it, and what becomes of its rows. */
export interface ImportSample {
  readonly source: ImportSourceId;
  readonly file: string;
  /** The customer of rows without one, if the import is given one. */
  readonly customer?: string;
  readonly skipped: number;
  /** What an export shows of each license, by key. */
  readonly licenses: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  /** The row, the column in the file and the code of each error. */
  readonly errors: readonly (readonly [row: number, column: string | null, code: string])[];
  /** What validating some of them results in. */
  readonly validated: Readonly<Record<string, string>>;
}

export const sampleFile = (name: string) => join(import.meta.dir, name);

const lifetime = { is_lifetime: true, expires_at: null, revoked_at: null };
const revokedBecause = (reason: string) => ({ status: "revoked", revoked_reason: reason });

export const importSamples: readonly ImportSample[] = [
  {
    source: "keygen",
    file: "keygen.json",
    customer: "nobody@example.com",
    skipped: 0,
    licenses: {
      "C1B6DE-39A6E3-DE1529-8559A0-4AF593-V3": {
        ...lifetime,
        ...{ customer_email: "zoe@example.com", customer_name: "Zoë “Z” Müller", notes: 'Acme, "Inc."' },
        created_at: "2024-02-29T12:30:00.123Z",
        metadata: {
          ...{ orderId: "=1+1", plan: { tier: "gold" }, keygen_max_machines: 5, keygen_policy: "Perpetual" },
          keygen_id: "c3c3c3c3-0000-4000-8000-000000000001",
        },
      },
      "C1B6DE-SUSPENDED-V3": {
        ...revokedBecause("Keygen: attributes.status is suspended"),
        ...{ expires_at: "2039-12-31T23:59:59.000Z", customer_email: "山田@example.jp" },
      },
      "C1B6DE-EXPIRED-V3": {
        ...{ status: "expired", expires_at: "2025-06-01T00:00:00.000Z", term_seconds: null },
        customer_email: "zoe@example.com",
      },
      "C1B6DE-UNUSED-TRIAL-V3": {
        ...{ is_lifetime: false, expires_at: null, term_seconds: 1_209_600 },
        customer_email: "nobody@example.com",
      },
    },
    errors: [
      [5, "attributes.key", "too_long"],
      [6, "relationships.policy.data.id", "record_not_in_file"],
      [7, "relationships.product.data.id", "other_product_in_file"],
      [8, "attributes.status", "not_one_of"],
    ],
    validated: {
      "c1b6de-39a6e3-de1529-8559a0-4af593-v3": "active",
      "C1B6DE-SUSPENDED-V3": "revoked",
      "C1B6DE-EXPIRED-V3": "expired",
      "C1B6DE-UNUSED-TRIAL-V3": "active",
      "C1B6DE-NEW-STATUS-V3": "license_not_found",
    },
  },
  {
    source: "lukittu",
    file: "lukittu.json",
    skipped: 0,
    licenses: {
      "ABCD1-EFGH2-IJKL3-MNOP4-QRST5": {
        ...lifetime,
        ...{ ip_system_enabled: false, customer_email: "steve@example.com", customer_name: "stéve_🎮" },
        metadata: {
          ...{
            tier: "premium",
            note: '+49 "quoted"',
            lukittu_products: ["Fancy Plugin"],
            lukittu_hwid_limit: 2,
          },
          lukittu_id: "456e7890-e89b-42d3-a456-426614174111",
        },
      },
      "ABCD1-EFGH2-IJKL3-MNOP4-DATED": {
        ...revokedBecause("Lukittu: suspended is true"),
        ...{ max_ips: 5, ip_system_enabled: true, expires_at: "2040-01-01T00:00:00.000Z" },
        ...{ customer_email: "alex@example.com", customer_name: "Alex O'Neil" },
      },
      "ABCD1-EFGH2-IJKL3-MNOP4-TERM1": {
        ...{ is_lifetime: false, expires_at: null, term_seconds: 30 * 86_400, ip_system_enabled: false },
      },
      "ABCD1-EFGH2-IJKL3-MNOP4-ENDED": {
        ...{ status: "expired", expires_at: "2024-03-01T10:00:00.000Z", term_seconds: null, max_ips: 1 },
      },
    },
    errors: [[5, null, "customer_missing"]],
    validated: {
      "ABCD1-EFGH2-IJKL3-MNOP4-QRST5": "active",
      "ABCD1-EFGH2-IJKL3-MNOP4-DATED": "revoked",
      "ABCD1-EFGH2-IJKL3-MNOP4-TERM1": "active",
      "ABCD1-EFGH2-IJKL3-MNOP4-ENDED": "expired",
    },
  },
  {
    source: "cryptlex",
    file: "cryptlex.json",
    skipped: 0,
    licenses: {
      "53DE97-42B9E1-41F1B6-F9B1DF-7B1FB0-5D1E2A": {
        ...lifetime,
        ...{ customer_email: "asa@example.com", customer_name: "Åsa Öberg", notes: 'line one\nline "two"' },
        ...{ tags: ["beta", "vip"], created_at: "2024-05-05T10:11:12.123Z" },
        metadata: {
          ...{ edition: "pro", cryptlex_allowed_activations: 0, cryptlex_type: "node-locked" },
          cryptlex_id: "0d0d0d0d-0000-4000-8000-000000000001",
        },
      },
      "CRYPTLEX-REVOKED": revokedBecause("Cryptlex: revoked is true"),
      "CRYPTLEX-SUSPENDED": revokedBecause("Cryptlex: suspended is true"),
      "CRYPTLEX-DELAYED": { is_lifetime: false, expires_at: null, term_seconds: 2_592_000 },
    },
    errors: [[5, null, "customer_missing"]],
    validated: {
      "53de97-42b9e1-41f1b6-f9b1df-7b1fb0-5d1e2a": "active",
      "CRYPTLEX-REVOKED": "revoked",
      "CRYPTLEX-SUSPENDED": "revoked",
      "CRYPTLEX-DELAYED": "active",
    },
  },
  {
    source: "licensegate",
    file: "licensegate.json",
    customer: "unknown@example.com",
    skipped: 0,
    licenses: {
      "5f1c7e2a-8d21-4f50-9a3a-0c6a5a5f3b11": {
        ...lifetime,
        ...{ customer_email: "unknown@example.com", max_ips: 2, ip_system_enabled: true },
        notes: 'Jürgen\npaid by bank transfer; ref "42"',
        metadata: { licensegate_scope: "pro", licensegate_id: 11 },
      },
      "disabled-one": { ...revokedBecause("LicenseGate: active is false"), ip_system_enabled: false },
      "ended one": {
        ...{ status: "expired", expires_at: "2025-01-31T22:00:00.000Z", customer_email: "known@example.com" },
      },
    },
    errors: [[4, "licenseKey", "too_long"]],
    validated: {
      "5f1c7e2a-8d21-4f50-9a3a-0c6a5a5f3b11": "active",
      "disabled-one": "revoked",
      "ended one": "expired",
    },
  },
  {
    source: "lemon-squeezy",
    file: "lemon-squeezy.json",
    skipped: 1,
    licenses: {
      "80e15db5-c796-436b-850c-8f9c98a48abe": {
        ...lifetime,
        ...{ customer_email: "luca@example.it", customer_name: 'Luca "Il Rosso" D\'Angelo' },
        created_at: "2021-03-25T11:10:18.000Z",
        metadata: {
          ...{ lemon_squeezy_activation_limit: 5, lemon_squeezy_order_id: 101, lemon_squeezy_id: "1" },
        },
      },
      "LS-ACTIVE": { status: "active", expires_at: "2040-02-01T00:00:00.000Z" },
      "LS-DISABLED": revokedBecause("Lemon Squeezy: attributes.status is disabled"),
      "LS-SUBSCRIPTION-ENDED": revokedBecause("Lemon Squeezy: attributes.status is expired"),
    },
    errors: [[6, "attributes.product_id", "other_product_in_file"]],
    validated: {
      "80e15db5-c796-436b-850c-8f9c98a48abe": "active",
      "LS-SUBSCRIPTION-ENDED": "revoked",
      "LS-TEST": "license_not_found",
    },
  },
  {
    source: "gumroad",
    file: "gumroad.csv",
    // A charge of a subscription, a sale without a key, and the totals.
    skipped: 3,
    licenses: {
      "6F0E4C97-B72A4E69-A11BF6C4-AF6517E7": {
        ...lifetime,
        ...{ customer_email: "ana@example.com", customer_name: '=HYPERLINK("http://x")' },
        created_at: "2025-04-01T09:08:07.000Z",
        metadata: {
          ...{ gumroad_variants: '(Pro, "Studio")', gumroad_order_number: "1001" },
          gumroad_purchase_id: "p1==",
        },
      },
      "GUMROAD-GIFT": { ...lifetime, customer_email: "giftee@example.com", customer_name: null },
      "GUMROAD-REFUNDED": revokedBecause("Gumroad: Fully Refunded? is 1"),
      "GUMROAD-PARTLY-REFUNDED": lifetime,
      "GUMROAD-DISPUTED": revokedBecause("Gumroad: Disputed? is 1"),
      "GUMROAD-DISPUTE-WON": lifetime,
      "GUMROAD-DISABLED": revokedBecause("Gumroad: License Key Enabled? is 0"),
      "GUMROAD-SUBSCRIPTION": { status: "expired", tags: ["monthly"], is_lifetime: false },
    },
    errors: [[12, "Purchase Email", "customer_missing"]],
    validated: {
      "6f0e4c97-b72a4e69-a11bf6c4-af6517e7": "active",
      "GUMROAD-GIFT": "active",
      "GUMROAD-DISPUTED": "revoked",
      "GUMROAD-SUBSCRIPTION": "expired",
    },
  },
];
