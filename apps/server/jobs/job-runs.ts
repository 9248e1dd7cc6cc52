import { randomBytes } from "node:crypto";
import { hostname } from "node:os";
import type { Store } from "@countersign/store/store";
import type { JobRunRow } from "@countersign/store/tables/platform";
import { reasonOf } from "../base/log.ts";

/** The last runs of a periodic job on this node. */
export interface JobState {
  readonly job: string;
  readonly everyMs: number;
  /** Milliseconds since 1970; null if it has not succeeded yet. */
  readonly succeededAtMs: number | null;
  /** Of the last run that has ended; null if none has. */
  readonly durationMs: number | null;
  readonly failures: number;
}

/** What is known about a job before it runs. */
export interface JobName {
  readonly name: string;
  readonly everyMs: number;
}

/** Says that a run has ended, and with which error if it failed. */
export type EndRun = (error?: unknown) => void;

/** The last run of each job of this node. Times are this process's own clock, which nothing sets. */
interface Run {
  readonly everyMs: number;
  startedTick: number;
  succeededTick: number | null;
  /** How long the last run took that has ended. */
  durationMs: number | null;
  failures: number;
  finishedTick: number | null;
  failedTick: number | null;
  failure: string | null;
}

/** Remembers when the jobs of this node last ran, how long they took, and why they last failed. */
export class JobRuns {
  readonly node: string;
  readonly #runs = new Map<string, Run>();
  readonly #unsaved = new Set<string>();

  constructor(node = newNodeName()) {
    this.node = node;
  }

  start({ name, everyMs }: JobName): EndRun {
    const before = this.#runs.get(name);
    const run: Run = {
      everyMs,
      startedTick: performance.now(),
      succeededTick: before?.succeededTick ?? null,
      durationMs: before?.durationMs ?? null,
      failures: before?.failures ?? 0,
      finishedTick: null,
      failedTick: before?.failedTick ?? null,
      failure: before?.failure ?? null,
    };
    this.#runs.set(name, run);
    this.#unsaved.add(name);
    return (error) => {
      run.finishedTick = performance.now();
      run.durationMs = run.finishedTick - run.startedTick;
      if (error === undefined) run.succeededTick = run.finishedTick;
      else {
        run.failures += 1;
        run.failedTick = run.finishedTick;
        run.failure = failureText(error);
      }
      this.#unsaved.add(name);
    };
  }

  /** All of them, with times of the database's clock. */
  rows(nowMs: number): JobRunRow[] {
    return [...this.#runs.keys()].map((job) => this.#row(job, nowMs));
  }

  /** What metrics say about them, with times of this node's clock. */
  states(nowMs: number): JobState[] {
    const offsetMs = nowMs - performance.now();
    return Array.from(this.#runs, ([job, { everyMs, succeededTick, durationMs, failures }]) => ({
      job,
      everyMs,
      succeededAtMs: succeededTick === null ? null : Math.round(succeededTick + offsetMs),
      durationMs,
      failures,
    }));
  }

  /** Passes what has changed since the last time to `save`. What could not be saved is passed again. */
  async saveChanged(nowMs: number, save: (rows: readonly JobRunRow[]) => Promise<void>): Promise<void> {
    const names = [...this.#unsaved];
    if (names.length === 0) return;
    this.#unsaved.clear();
    try {
      await save(names.map((name) => this.#row(name, nowMs)));
    } catch (error) {
      for (const name of names) this.#unsaved.add(name);
      throw error;
    }
  }

  #row(job: string, nowMs: number): JobRunRow {
    const run = this.#runs.get(job);
    if (run === undefined) throw new Error(`The job ${job} has not run.`);
    const offsetMs = nowMs - performance.now();
    const at = (tick: number) => Math.round(tick + offsetMs);
    return {
      node: this.node,
      job,
      every_ms: run.everyMs,
      started_at: at(run.startedTick),
      finished_at: run.finishedTick === null ? null : at(run.finishedTick),
      failed_at: run.failedTick === null ? null : at(run.failedTick),
      failure: run.failure,
    };
  }
}

const longestHostName = 60;

/** The host name alone is not unique: several processes can share it, and so can containers. */
function newNodeName(): string {
  return `${hostname().slice(0, longestHostName)}-${randomBytes(3).toString("hex")}`;
}

const runsOfStores = new WeakMap<Store, JobRuns>();

/** The runs of the jobs that work on a store. */
export function jobRunsOf(store: Store): JobRuns {
  const known = runsOfStores.get(store);
  if (known !== undefined) return known;
  const runs = new JobRuns();
  runsOfStores.set(store, runs);
  return runs;
}

const longest = 500;

/** Why a job failed, for platform admins: on one line, bounded, and without what looks like a credential. */
export function failureText(error: unknown): string {
  const text = reasonOf(error)
    .replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, " ")
    .replace(urlCredentials, "://…@")
    .replace(urlQuery, "$1?…")
    .replace(knownSecrets, "$1…")
    .replace(namedSecrets, "$1…");
  return text.length <= longest ? text : `${text.slice(0, longest - 1).toWellFormed()}…`;
}

const urlCredentials = /:\/\/[^\s/@]+@/g;
const urlQuery = /(\w+:\/\/[^\s?]+)\?[^\s)"']+/g;
/** Tokens and keys of Countersign and Stripe, by how they start. */
const knownSecrets = /\b((?:csk|cst|whsec|sk_live|sk_test|rk_live|rk_test)_)[\w+/=-]+/g;
const namedSecrets =
  /\b((?:password|secret|token|api[_-]?key|authorization)["']?\s*[:=]\s*(?:bearer\s+)?)[^\s,;)}]+/gi;
