import { isoTime } from "@countersign/domain/dates/iso-time";
import type { Tenure } from "@countersign/store/queries/customers/holders";
import type { AuditLogRow } from "@countersign/store/tables/audit-log";
import type { EventRow } from "@countersign/store/tables/events";
import type { IpSightingRow } from "@countersign/store/tables/journal";
import { showEvent } from "../events/routes.ts";
import type { ShownRequest } from "../requests/show.ts";

type Values = Readonly<Record<string, unknown>>;
type Sighting = Pick<IpSightingRow, "ip" | "first_seen_at" | "last_seen_at" | "hits"> & {
  readonly license_id: string;
};

/**
 * Licenses that a customer has or had, and what of their records is about that customer: what is of the time in which the
 * license was theirs. Where it changed hands, a record names both customers, and each gets their own side.
 */
export class HeldLicenses {
  /** The customer's ID, and those that they had before. */
  readonly #customerIds: ReadonlySet<string>;
  readonly #tenures = new Map<string, readonly Tenure[]>();
  readonly #present = new Set<string>();

  constructor(customerIds: ReadonlySet<string>) {
    this.#customerIds = customerIds;
  }

  get ids(): ReadonlySet<string> {
    return new Set(this.#tenures.keys());
  }

  get size(): number {
    return this.#tenures.size;
  }

  add(licenseId: string, tenures: readonly Tenure[], options: { readonly isPresent: boolean }): void {
    this.#tenures.set(licenseId, tenures);
    if (options.isPresent) this.#present.add(licenseId);
  }

  wasTheirs(licenseId: string | null, atMs: number): boolean {
    const tenures = this.#tenures.get(licenseId ?? "") ?? [];
    return tenures.some(({ sinceMs, untilMs }) => atMs > sinceMs && atMs <= untilMs);
  }

  sightings(rows: readonly Sighting[]): object[] {
    const theirs = rows.filter((row) => this.wasTheirs(row.license_id, row.first_seen_at));
    return theirs.map(({ license_id, ip, hits, first_seen_at, last_seen_at }) => {
      // The next customer uses the same IP address.
      const isShared = !this.wasTheirs(license_id, last_seen_at);
      return {
        license_id,
        ip,
        requests: isShared ? null : hits,
        first_seen_at: isoTime(first_seen_at),
        last_seen_at: isShared ? null : isoTime(last_seen_at),
      };
    });
  }

  events(rows: readonly EventRow[]): object[] {
    return rows.flatMap((row) => {
      const event = showEvent(row);
      const data: Values = event.data;
      if (!this.wasTheirs(row.license_id, row.at) && !this.#gotIt(data)) return [];
      return [{ ...event, data: this.#ownSide(data) }];
    });
  }

  /** Other events can show the license as it was a moment later, when they were sent. */
  #gotIt({ license, previous, transfer }: Values): boolean {
    return this.#names(license) && (this.#namesOther(previous) || transfer !== undefined);
  }

  #ownSide({ license, previous, transfer, ...data }: Values): Values {
    return {
      ...data,
      ...(license === undefined || this.#namesOther(license) ? {} : { license }),
      ...(previous === undefined || this.#namesOther(previous) ? {} : { previous }),
      ...(transfer === undefined ? {} : { transfer: this.#ownPart(transfer as Values) }),
    };
  }

  #ownPart({ from, to, message, ...transfer }: Values): Values {
    return {
      ...transfer,
      ...(this.#names(from) ? { from, message } : {}),
      ...(this.#names(to) ? { to } : {}),
    };
  }

  /** Entries about licenses, without who did it: that is about the seller's own people. */
  entries(rows: readonly AuditLogRow[]): object[] {
    return rows.flatMap((row) => {
      const [before, after] = [parsed(row.before), parsed(row.after)];
      const isTheirs = this.wasTheirs(row.subject_id, row.at) || this.#names(before) || this.#names(after);
      if (!isTheirs) return [];
      const own = (values: Values | null) => (this.#namesOther(values) ? null : values);
      return [exportedEntry(row, own(before), own(after))];
    });
  }

  /** A request is shown with what its license is now. */
  request(request: ShownRequest): ShownRequest {
    if (this.#present.has(request.license_id ?? "")) return request;
    return { ...request, license_key: null, customer_name: null };
  }

  #names(values: unknown): boolean {
    return this.#customerIds.has(customerIn(values) ?? "");
  }

  #namesOther(values: unknown): boolean {
    return customerIn(values) !== null && !this.#names(values);
  }
}

/** The customer of a license, as events and the audit log have it. */
function customerIn(values: unknown): string | null {
  return ((values as Values | null)?.global_customer_id as string | null | undefined) ?? null;
}

export function exportedEntry(
  row: AuditLogRow,
  before: object | null = parsed(row.before),
  after: object | null = parsed(row.after),
) {
  return { at: isoTime(row.at), action: row.action, subject_id: row.subject_id, before, after };
}

function parsed(json: string | null): Values | null {
  return json === null ? null : JSON.parse(json);
}
