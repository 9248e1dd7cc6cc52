import { StorageUnavailable } from "../errors/problem.ts";
import type { ConnectionPool } from "./connection-pool.ts";
import { waitForDisk } from "./sql.ts";

/**
 * Does what a validation does without changing a row: it locks the same tables in the same way, and its commit waits
 * for the disk and a synchronous standby, as that of a counter does. It has its own connection, so that validations
 * keep theirs however often it runs.
 */
export class Probe {
  readonly #pool: ConnectionPool;

  constructor(pool: ConnectionPool) {
    this.#pool = pool;
  }

  async run(): Promise<void> {
    await this.#pool.use((client) =>
      Promise.all([
        client.query({ name: "begin", text: "begin" }),
        client.query(waitForDisk),
        ...statements.map((statement) => client.query(statement)),
        client.query({ name: "commit", text: "commit" }),
      ]),
    );
  }

  /**
   * Allocates new disk space for a table and releases it: a row that fits into free space does not reveal a full disk.
   */
  async grow(): Promise<void> {
    const name = `space_probe_${Math.random().toString(36).slice(2)}`;
    try {
      await this.#pool.use((client) =>
        Promise.all([
          client.query({ name: "begin", text: "begin" }),
          client.query(`create unlogged table ${name} as ${pages}`),
          client.query({ name: "rollback", text: "rollback" }),
        ]),
      );
    } catch (error) {
      if (!isForbidden(error)) throw error;
    }
  }

  close(): Promise<void> {
    return this.#pool.close();
  }
}

/** Half a megabyte, four rows a page. */
const pages = "select repeat('x', 1900) as filler from generate_series(1, 256)";

/** A role that cannot create tables learns nothing here. */
function isForbidden(error: unknown): boolean {
  const cause = error instanceof StorageUnavailable ? error.cause : error;
  return cause instanceof Error && "code" in cause && cause.code === "42501";
}

/** No product and no license has an empty ID, so this locks no row that a validation could wait for. */
const statements = [
  { name: "probe_keys", text: "select 1 from product_api_keys where public_id = ''" },
  { name: "probe_count", text: "update daily_usage set used = used where product_id = '' and day = -1" },
  { name: "probe_licenses", text: "update licenses set ip_count = ip_count where id = ''" },
  {
    name: "probe_ips",
    text: "update license_ips set registered_at = registered_at where license_id = '' and ip = ''",
  },
  { name: "probe_write", text: "select pg_logical_emit_message(true, 'countersign', '')" },
];
