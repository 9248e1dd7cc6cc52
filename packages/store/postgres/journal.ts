import pg from "pg";
import type { JournalDeletion, JournalEntry, JournalErasure } from "../journal.ts";
import type { LogCut, LogRetention, RetentionSettings } from "../log-retention.ts";
import { dueCuts, writeCuts } from "../request-log/cuts.ts";
import { deleteSome } from "../request-log/delete-organization.ts";
import { eraseSome } from "../request-log/erase-licenses.ts";
import { Segments } from "../request-log/segment.ts";
import { oldestEndedDay, pruneCounts, storedRetention, sweepSome } from "../request-log/sweep.ts";
import type { Geo } from "../rollups/geo.ts";
import type { Journal } from "../store.ts";
import { PostgresClient } from "./client.ts";
import { connectionSettings } from "./connect.ts";
import { rewriteDay, rewriteLimits, sortKeys } from "./ended-days.ts";
import { PostgresRequestLog, type Turn } from "./request-log.ts";
import { addRefusals, PostgresSightings } from "./sightings.ts";
import { journalAnswerMs, journalLimits } from "./time-limits.ts";

/** The request log, the sightings and the counts of refusals, on a separate connection that does not wait for the disk. */
export class PostgresJournal implements Journal {
  readonly #url: string;
  readonly #segments: Segments;
  readonly #sightings = new PostgresSightings();
  /** On the current connection. */
  #log: PostgresRequestLog | null = null;
  #rewriting: pg.Client | null = null;

  constructor(url: string, geo: () => Geo | null = () => null) {
    this.#segments = new Segments(geo);
    this.#url = url;
  }

  async append(entries: readonly JournalEntry[]): Promise<void> {
    if (entries.length === 0) return;
    const log = await this.#connected();
    try {
      await log.prepare(entries);
      await this.#write(log, entries, "together");
    } catch (error) {
      if (!(error instanceof pg.DatabaseError) || !retried.has(error.code ?? "")) {
        this.#drop();
        throw error;
      }
      await log.client.query("rollback");
      // Another node may have dropped the tables of an old day.
      if (error.code === checkViolation) log.forget();
      // An attempt with an unknown outcome may have been written completely. Checking first, each time, would cost more.
      await this.append(error.code === uniqueViolation ? await log.unwritten(entries) : entries);
    }
  }

  async #write(log: PostgresRequestLog, entries: readonly JournalEntry[], turn: Turn): Promise<void> {
    const closedUntil = await log.begin(turn);
    const late = entries.filter(({ at }) => at < closedUntil);
    // Late rows change segments that are closed.
    if (late.length > 0 && turn === "together") {
      await log.client.query("rollback");
      return this.#write(log, entries, "alone");
    }
    await log.insert(entries);
    if (late.length > 0) await this.#segments.addLate(log, late);
    await this.#sightings.add(log.client, entries);
    await addRefusals(log.client, entries);
    await log.client.query("commit");
  }

  async closeSegment(nowMs: number): Promise<number> {
    // Whether it is worth taking a turn. By then, another node may have closed it.
    if (!(await this.#segments.isNextDue(await this.#connected(), nowMs))) return 0;
    return this.#alone((log) => this.#segments.closeNext(log, nowMs));
  }

  async retention(environment: RetentionSettings): Promise<LogRetention> {
    return storedRetention(await this.#connected(), environment);
  }

  async prune(retention: LogRetention, nowMs: number): Promise<number> {
    const day = await oldestEndedDay(await this.#connected(), retention, nowMs);
    const dropped = day === null ? 0 : await this.#dropDay(day);
    await this.#sortKeys();
    // Either may have given up, and its connection with it.
    return dropped + (await pruneCounts(await this.#connected(), retention, nowMs));
  }

  /** Returns how many days were dropped. */
  async #dropDay(day: number): Promise<0 | 1> {
    const dropped = await this.#unlessLocked(() =>
      this.#alone(async (log) => {
        await log.dropDay(day);
        return 1 as const;
      }),
    );
    return dropped ?? 0;
  }

  /** Without a turn: nodes go on adding rows, except late ones of the same day. */
  async #sortKeys(): Promise<void> {
    await this.#unlessLocked(async () => {
      const { client } = await this.#connected();
      await client.query("begin");
      await sortKeys(client);
      await client.query("commit");
    });
  }

  async trim(maxBytes: number): Promise<readonly LogCut[]> {
    const cuts = await dueCuts(await this.#connected(), maxBytes);
    if (cuts.length > 0) await this.#alone((log) => writeCuts(log, cuts));
    return cuts;
  }

  async sweep(retention: LogRetention, nowMs: number): Promise<number> {
    const lookedAt = await this.#unlessLocked(() => this.#alone((log) => sweepSome(log, retention, nowMs)));
    return lookedAt ?? 0;
  }

  async reclaim(nowMs: number): Promise<number> {
    // Not on the connection of the log, which would have to wait.
    const client = new PostgresClient(connectionSettings(this.#url, rewriteLimits));
    client.on("error", () => undefined);
    this.#rewriting = client;
    try {
      await client.connect();
      await client.query("begin");
      const day = await rewriteDay(client, nowMs);
      await client.query("commit");
      return day === null ? 0 : 1;
    } catch (error) {
      if (isLocked(error)) return 0;
      throw error;
    } finally {
      this.#rewriting = null;
      client.connection.stream.destroy();
    }
  }

  async deleteOrganization(step: JournalDeletion): Promise<JournalDeletion | null> {
    return this.#alone((log) => deleteSome(log, step));
  }

  eraseLicenses(step: JournalErasure): Promise<JournalErasure | null> {
    return this.#alone((log) => eraseSome(log, step));
  }

  /** A day cannot be dropped or sorted while a backup or a long query reads the log: it is tried again later. */
  async #unlessLocked<T>(work: () => Promise<T>): Promise<T | null> {
    try {
      return await work();
    } catch (error) {
      this.#drop();
      if (isLocked(error)) return null;
      throw error;
    }
  }

  /** Runs a step that changes segments, while no node adds rows. */
  async #alone<T>(work: (log: PostgresRequestLog) => Promise<T>): Promise<T> {
    const log = await this.#connected();
    try {
      await log.begin("alone");
      const result = await work(log);
      await log.client.query("commit");
      return result;
    } catch (error) {
      this.#drop();
      throw error;
    }
  }

  /** A database that does not respond is not waited for. */
  async close(): Promise<void> {
    this.#rewriting?.connection.stream.destroy();
    if (this.#log === null) return;
    const { client } = this.#log;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const tooLate = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, maxShutdownMs);
    });
    await Promise.race([client.end().catch(() => undefined), tooLate]);
    clearTimeout(timer);
    this.#drop();
  }

  async #connected(): Promise<PostgresRequestLog> {
    if (this.#log !== null) return this.#log;
    const client = new PostgresClient({
      ...connectionSettings(this.#url, ["synchronous_commit=off", ...journalLimits]),
      // A statement without a response then ends with its connection.
      pipeline: true,
      query_timeout: journalAnswerMs,
    });
    client.on("error", () => this.#lost(client));
    client.on("end", () => this.#lost(client));
    await client.connect();
    this.#log = new PostgresRequestLog(client);
    return this.#log;
  }

  #lost(client: pg.Client): void {
    if (this.#log?.client === client) this.#log = null;
  }

  #drop(): void {
    this.#log?.client.connection.stream.destroy();
    this.#log = null;
  }
}

function isLocked(error: unknown): boolean {
  return error instanceof pg.DatabaseError && error.code === lockNotAvailable;
}

const uniqueViolation = "23505";
/** A row of a day that has no table. */
const checkViolation = "23514";
const lockNotAvailable = "55P03";
const retried = new Set([uniqueViolation, checkViolation]);
const maxShutdownMs = 1_000;
