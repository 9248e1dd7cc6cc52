import type { Flag, WithDefaults } from "./columns.ts";

/** Imports of licenses. */
export interface LicenseFilesTables {
  imports: ImportRow;
  /** A part of the file, in order; deleted once the import ends. */
  import_pieces: {
    import_id: string;
    number: number;
    body: string;
  };
  import_undo: WithDefaults<ImportUndoRow, "written_at">;
  import_rejects: ImportRejectRow;
}

/** An import of licenses, and its result. */
export interface ImportRow {
  id: string;
  organization_id: string;
  product_id: string;
  state:
    | "receiving"
    | "waiting"
    | "checking"
    | "writing"
    | "undoing"
    | "finished"
    | "failed"
    | "cancelled"
    | "undone";
  /** The file name given by the client. */
  file_name: string | null;
  format: "csv" | "jsonl" | "json";
  /** The service whose export it is; null for a file with names of its own. */
  source: string | null;
  dry_run: Flag;
  mode: "all_or_nothing" | "row_by_row";
  on_existing: "fail" | "skip" | "update";
  /** Whether an event is recorded for each license that it creates or changes. */
  send_events: Flag;
  /** The organization's time zone when it started: for dates without a time. */
  time_zone: string;
  /** A JSON object from column names to fields. */
  column_map: string;
  /** The customer of new licenses for which the file names none. */
  default_customer_email: string | null;
  bytes_total: number;
  bytes_done: number;
  /** Null until the whole file has been read. */
  rows_total: number | null;
  rows_done: number;
  created: number;
  updated: number;
  skipped: number;
  /** Rows with an error; each can have several. */
  failed: number;
  error_count: number;
  /** The first errors, as a JSON array. */
  errors: string;
  /** How many characters of rejected rows are stored. */
  rejects_size: number;
  /** Why it failed as a whole: a code with its parameters, as JSON. */
  failure: string | null;
  /** Who started it, as in the audit log: a JSON object of its columns. */
  actor: string;
  created_by: string;
  /** Which worker processes it, and until when no other can. */
  claimed_by: string | null;
  claimed_until: number;
  created_at: number;
  updated_at: number;
  finished_at: number | null;
  /** Set to request cancellation; the worker checks it between steps. */
  cancel_requested_at: number | null;
  /** Who requested to undo it, how, and the result, as a JSON object. */
  undo: string | null;
  /** Until when rejected rows and the undo list are kept; null if there are none. */
  keeps_until: number | null;
}

/** A license that an import wrote and would have to revert. */
export interface ImportUndoRow {
  import_id: string;
  license_id: string;
  /** Its previous values, as a JSON object; null if it did not exist. */
  before: string | null;
  /** When the import wrote it: a license with a later time has been changed since. */
  written_at: number;
}

/** A row of the file that was not imported. Number 0 is the header. */
export interface ImportRejectRow {
  import_id: string;
  number: number;
  /** A JSON array of its original cells; for JSON Lines, the line. */
  cells: string;
  /** Its errors, as a JSON array. */
  errors: string;
}
