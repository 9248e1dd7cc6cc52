import type { Plan } from "@countersign/domain/quota/limit";
import type { VersionState } from "@countersign/domain/versions/catalog";
import type { ProductSettings } from "@countersign/store/queries/products/products";
import type { BrandingRow } from "@countersign/store/tables/organizations";
import type { ProductDownloadRow } from "@countersign/store/tables/products";

/** What a demo product demonstrates. */
export type Role =
  | "plain"
  | "signed"
  | "archived"
  | "disabled"
  | "deleted"
  | "versions"
  | "custom"
  | "allow_list"
  | "first_only"
  | "suspended"
  | "unpaid"
  | "nearly_used_up"
  | "used_up";

export interface DemoProduct {
  readonly role: Role;
  readonly name: string;
  readonly licenses: number;
  readonly settings?: Partial<ProductSettings>;
  readonly deleted?: true;
  readonly usedToday?: number;
  readonly versions?: readonly { readonly version: string; readonly state: VersionState }[];
  readonly downloads?: readonly Pick<ProductDownloadRow, "title" | "url" | "min_version" | "checksum">[];
}

export interface DemoOrganization {
  readonly name: string;
  readonly plan: Plan;
  readonly state?: "suspended" | "unpaid";
  readonly branding?: Partial<BrandingRow>;
  readonly products: readonly DemoProduct[];
}

export const demoOrganizations: readonly DemoOrganization[] = [
  {
    name: "Northwind Audio",
    plan: "enterprise",
    branding: { accent_color: "#0b6e4f", support_email: "support@northwind.example" },
    products: [
      {
        role: "plain",
        name: "Waveform Studio",
        licenses: 120,
        settings: {
          portal_ip_removals_per_30_days: 3,
          portal_key_rotation: 1,
          transfers: "review",
          renewal_url: "https://northwind.example/renew",
        },
        downloads: [
          {
            title: "Waveform Studio 4 for Windows",
            url: "https://northwind.example/downloads/waveform-studio-4.exe",
            min_version: "4.0",
            checksum: "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
          },
        ],
      },
      { role: "signed", name: "Tapeline Mastering", licenses: 30, settings: { signed_validation: 1 } },
      { role: "archived", name: "Waveform Studio 2019", licenses: 20, settings: { status: "archived" } },
      { role: "disabled", name: "Loopsmith Preview", licenses: 10, settings: { status: "disabled" } },
      { role: "deleted", name: "Patchbay Mobile", licenses: 5, deleted: true },
    ],
  },
  {
    name: "Harbor Systems",
    plan: "pro",
    products: [
      {
        role: "versions",
        name: "Fieldkit Survey",
        licenses: 40,
        settings: { version_module_enabled: 1 },
        versions: [
          { version: "2.0.x", state: "deprecated" },
          { version: "2.1.x", state: "allowed" },
          { version: "2.2.x", state: "allowed" },
          { version: "2.2.4", state: "blocked" },
          { version: "2.3.0", state: "latest" },
        ],
      },
      {
        role: "custom",
        name: "Dockside Helpdesk",
        licenses: 30,
        settings: {
          custom_response_enabled: 1,
          custom_response: JSON.stringify({
            licensed_to: "{{customer.name}}",
            support: "mailto:help@example.com?subject={{license.id}}",
            seats: "{{license.max_ips}}",
            features: { export: true, api: false },
          }),
        },
      },
      {
        role: "allow_list",
        name: "Breakwater Gateway",
        licenses: 20,
        settings: { auto_register_ip_on_validate: 0 },
      },
      {
        role: "first_only",
        name: "Pierhead Kiosk",
        licenses: 20,
        settings: { auto_register_scope: "first_only" },
      },
    ],
  },
  {
    name: "Juniper Plugins",
    plan: "pro",
    state: "suspended",
    products: [{ role: "suspended", name: "Juniper Reverb", licenses: 15 }],
  },
  {
    name: "Copperfield Games",
    plan: "pro",
    state: "unpaid",
    products: [{ role: "unpaid", name: "Emberfall Launcher", licenses: 15 }],
  },
  {
    name: "Paperclip Tools",
    plan: "free",
    products: [
      { role: "nearly_used_up", name: "Paperclip Notes", licenses: 15, usedToday: 9_950 },
      { role: "used_up", name: "Paperclip Scan", licenses: 15, usedToday: 10_000 },
    ],
  },
];

export const demoCustomers: readonly string[] = [
  "Ada Lindqvist",
  "Bruno Carvalho",
  "Chiara Fontana",
  "Daniel Okafor",
  "Elif Yılmaz",
  "Farah Haddad",
  "Greta Nowak",
  "Hiroshi Tanaka",
  "Ingrid Solberg",
  "Jonas Weber",
  "Kavya Raman",
  "Liam Gallagher-Reid",
  "Mei Chen",
  "Nadia Petrova",
  "Oscar Delgado",
  "Priya Nair",
  "Quentin Moreau",
  "Rosa Jiménez",
  "Samuel Adeyemi",
  "Tuuli Korhonen",
];
