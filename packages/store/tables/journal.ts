import type { Generated } from "kysely";

/** Observations: the request log, the sightings, the counts of refusals and the roll-ups. */
export interface JournalTables {
  /** On SQLite, queries name the table of a day: see `request-log/tables.ts`. */
  request_log: RequestLogRow;
  request_keys: RequestKeyRow;
  /** A day of the log that has tables. */
  request_days: {
    /** Days since 1970. */
    day: number;
    /** What deleted rows still take on disk. Only on PostgreSQL: SQLite uses their space again. */
    deleted_bytes: Generated<number>;
  };
  request_segments: RequestSegmentRow;
  /** An organization with so many requests that the log became too large. */
  request_log_cuts: {
    organization_id: string;
    /** Its requests before this time are deleted. */
    cut_until: number;
  };
  /** A single row. */
  request_log_state: {
    id: 1;
    /** Every row before this time is in a segment, and no other row is. */
    closed_until: number;
    /** Rows before this time were deleted because the log was too large, by a release that deleted everybody's. */
    cut_until: number;
    sweep_started_at: number;
    /** How far the log was read to delete what is kept for a shorter time than the rest; null if all of it was. */
    sweep_position: number | null;
  };
  rollup_hours: RollUpHourRow;
  rollup_hour_uniques: HourUniquesRow;
  rollup_days: RollUpDayRow;
  license_days: LicenseDayRow;
  ip_sightings: IpSightingRow;
  license_refusals: LicenseRefusalRow;
}

/** One request, or several alike: see `count`. */
export interface RequestLogRow {
  /** When it was decided. The time in the ID is when it arrived, which can be seconds earlier. */
  at: number;
  id: string;
  organization_id: string;
  product_id: string;
  license_id: string | null;
  endpoint: "validate" | "lookup";
  /** What was answered: a validate status, `found`, `not_found`, `body_too_large` or `body_timeout`. */
  status: string;
  ip: string;
  version: string | null;
  device_id: string | null;
  problem: string | null;
  duration_us: number;
  /** How many requests this row stands for: more than 1 for those of a minute beyond a limit, with the first one's ID. */
  count: number;
  sandbox: number;
  /** For refusals, what the rule saw, as JSON. */
  facts: string | null;
}

/** In which milliseconds of a segment an organization, or some licenses or IP addresses occur: see `request-log/keys.ts`. */
export interface RequestKeyRow {
  /** The start of the segment. */
  from_at: number;
  /** Organization, license, or IP address within an organization. */
  kind: "o" | "l" | "i";
  /** An organization ID, or a part of the hashes of licenses or IP addresses. */
  key: string;
  /** How many rows of the segment have it. */
  count: number;
  /** The times of these rows, as text; null for an organization with many. */
  ats: string | null;
}

/** A part of the log whose keys are written: all rows with `from_at <= at < until_at`, within one day. */
export interface RequestSegmentRow {
  from_at: number;
  until_at: number;
  rows: number;
  /** About how much its rows and keys take on disk. */
  bytes: number;
  closed_at: number;
}

/** The requests of a product, or of all products of an organization, in one hour: see `rollups/roll-up.ts`. */
export interface RollUpHourRow {
  organization_id: string;
  /** Empty for all products. */
  product_id: string;
  /** Hours since 1970, UTC. */
  hour: number;
  /** JSON objects with a number for each key. */
  counts: string;
  versions: string;
  countries: string;
}

/** The different licenses and IP addresses of an hour, as `UniqueCount` writes them. */
export interface HourUniquesRow {
  organization_id: string;
  product_id: string;
  hour: number;
  licenses: string;
  /** Licenses with a successful validation. */
  active: string;
  ips: string;
}

/** The same of a UTC day, and which licenses were refused. */
export interface RollUpDayRow {
  organization_id: string;
  product_id: string;
  /** Days since 1970, UTC. */
  day: number;
  licenses: string;
  active: string;
  ips: string;
  /** A JSON object: see `refusalKey`. */
  refused: string;
}

/** A license that was used from several places on a UTC day, or with several devices. */
export interface LicenseDayRow {
  organization_id: string;
  day: number;
  license_id: string;
  product_id: string;
  ip_count: number;
  device_count: number;
  /** Of `travel`. */
  speed_kmh: number | null;
  /** JSON arrays. */
  ips: string;
  devices: string;
  /** The fastest impossible change of place, as JSON; null if there was none. */
  travel: string | null;
}

type SightingTier = "platform" | "organization" | "license";

export interface IpSightingRow {
  tier: SightingTier;
  /** The organization or license; empty at platform level. */
  scope_id: string;
  ip: string;
  first_seen_at: number;
  last_seen_at: number;
  hits: number;
  /** How many licenses were used from this IP address, within the scope. */
  license_count: number;
}

/** How often validations of a license were refused on a day, with one status. */
export interface LicenseRefusalRow {
  license_id: string;
  /** Days since 1970, UTC. */
  day: number;
  status: string;
  organization_id: string;
  count: number;
  first_at: number;
  last_at: number;
  last_ip: string;
  last_version: string | null;
}
