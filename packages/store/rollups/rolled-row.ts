/** What roll-ups need of a row of the request log. */
export interface RolledRow {
  readonly at: number;
  readonly organization_id: string;
  readonly product_id: string;
  readonly license_id: string | null;
  readonly endpoint: "validate" | "lookup";
  readonly status: string;
  readonly ip: string;
  readonly version: string | null;
  readonly device_id: string | null;
  readonly count: number;
  readonly sandbox: number;
}
