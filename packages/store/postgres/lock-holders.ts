import type pg from "pg";

/** Runs a statement, and notes who it waits for if it waits for long. */
export class LockWatch {
  readonly #pool: pg.Pool;
  readonly #lockMs: number;
  #holders: Promise<readonly string[]> = Promise.resolve([]);

  constructor(pool: pg.Pool, lockMs: number) {
    this.#pool = pool;
    this.#lockMs = lockMs;
  }

  /** Those that the last statement waited for. */
  get holders(): Promise<readonly string[]> {
    return this.#holders;
  }

  async run(pid: number, statement: () => Promise<unknown>): Promise<void> {
    // Afterwards the database no longer knows who it was.
    const timer = setTimeout(() => {
      this.#holders = sessionsBefore(this.#pool, pid).catch(() => []);
    }, this.#lockMs / 2);
    try {
      await statement();
    } finally {
      clearTimeout(timer);
    }
  }
}

interface Session {
  readonly pid: number;
  readonly name: string;
  readonly state: string | null;
  readonly seconds: number | null;
}

async function sessionsBefore(pool: pg.Pool, pid: number): Promise<readonly string[]> {
  const { rows } = await pool.query<Session>(
    `select pid, coalesce(nullif(application_name, ''), backend_type) as name, state,
       extract(epoch from clock_timestamp() - xact_start)::int as seconds
     from pg_stat_activity where pid = any (pg_blocking_pids($1)) order by xact_start limit 5`,
    [pid],
  );
  return rows.map(({ pid, name, state, seconds }) => {
    const facts = [
      name,
      ...(state === null ? [] : [state]),
      ...(seconds === null ? [] : [`for ${seconds} s`]),
    ];
    return `process ${pid} (${facts.join(", ")})`;
  });
}
