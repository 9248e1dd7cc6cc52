import pg from "pg";
import { KeepAliveCaller, validateRequest } from "../support/keep-alive.ts";

/** Another session that holds a lock for as long as the test wants, like a paused node or an idle terminal. */
export interface Holder {
  /** Whether a session waits for the lock. */
  isWaitedFor(): Promise<boolean>;
  release(): Promise<void>;
}

export async function holdLock(url: string, statement: string, values: unknown[] = []): Promise<Holder> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query("begin");
  await client.query(statement, values);
  return {
    isWaitedFor: async () => {
      const { rowCount } = await client.query(
        "select 1 from pg_locks where not granted and pg_backend_pid() = any (pg_blocking_pids(pid))",
      );
      return rowCount !== 0;
    },
    release: async () => {
      await client.query("rollback");
      await client.end();
    },
  };
}

export interface Question {
  readonly apiKey: string;
  readonly key: string;
}

/** The responses: verdicts by status, and the duration of the slowest response. */
export class Answers {
  verdicts = 0;
  unavailable = 0;
  readonly others: string[] = [];
  readonly statuses = new Map<string, number>();
  slowestMs = 0;

  get all(): number {
    return this.verdicts + this.unavailable + this.others.length;
  }

  note(status: number, text: string, ms: number): void {
    this.slowestMs = Math.max(this.slowestMs, ms);
    const body = JSON.parse(text === "" ? "{}" : text);
    if (status === 200) {
      this.verdicts += 1;
      this.statuses.set(body.status, (this.statuses.get(body.status) ?? 0) + 1);
    } else if (status === 503 && body.valid === false) this.unavailable += 1;
    else this.others.push(`${status} ${text}`);
  }
}

/** Sends `count` requests in order, over several connections from as many IP addresses. */
export async function ask(
  port: number,
  questions: readonly Question[],
  { count, callers, firstIp = 10 }: { count: number; callers: number; firstIp?: number },
): Promise<Answers> {
  const answers = new Answers();
  let next = 0;
  const call = async (index: number) => {
    const caller = new KeepAliveCaller(port, `127.0.1.${firstIp + index}`);
    while (next < count) {
      const question = questions[next++ % questions.length];
      if (question === undefined) break;
      const sent = await caller.send(validateRequest(question.apiKey, question.key), 60_000);
      if (sent.tag === "answered") answers.note(sent.answer.status, sent.answer.body, sent.ms);
      else answers.others.push(sent.tag);
    }
    caller.close();
  };
  await Promise.all(Array.from({ length: callers }, (_, index) => call(index)));
  return answers;
}

/** Repeats the same request until it is stopped. */
export function keepAsking(port: number, question: Question, ip: string) {
  const answers = new Answers();
  let isStopped = false;
  const asking = (async () => {
    const caller = new KeepAliveCaller(port, ip);
    while (!isStopped) {
      const sent = await caller.send(validateRequest(question.apiKey, question.key), 60_000);
      if (sent.tag === "answered") answers.note(sent.answer.status, sent.answer.body, sent.ms);
      else answers.others.push(sent.tag);
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    caller.close();
  })();
  return {
    answers,
    stop: async () => {
      isStopped = true;
      await asking;
    },
  };
}
