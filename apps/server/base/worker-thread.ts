import { parentPort, type Transferable, Worker, workerData } from "node:worker_threads";
import { reasonOf } from "./log.ts";

/** The functions that one thread offers to the other. Arguments and results are cloned. */
type Offered<T> = { readonly [K in keyof T]: (argument: never) => unknown };
type Argument<T, K extends keyof T> = T[K] extends (argument: infer A) => unknown ? A : never;
type Result<T, K extends keyof T> = T[K] extends (argument: never) => infer R ? Awaited<R> : never;

/** What every worker offers. The thread is terminated once `stop` has ended. */
interface Stoppable {
  stop(): Promise<void>;
}

type Message =
  | { readonly kind: "ready" }
  /** It could not start. */
  | { readonly kind: "failed"; readonly reason: string }
  /** Without an ID, nobody waits for a response. */
  | { readonly kind: "call"; readonly name: string; readonly argument: unknown; readonly id: number | null }
  | { readonly kind: "result"; readonly id: number; readonly value: unknown }
  | { readonly kind: "error"; readonly id: number; readonly reason: string };

/** Calls to the other thread, and from it. */
export class ThreadCalls<Theirs extends Offered<Theirs>> {
  readonly #post: (message: Message) => void;
  readonly #waiting = new Map<number, PromiseWithResolvers<unknown>>();
  #lastId = 0;

  constructor(post: (message: Message) => void) {
    this.#post = post;
  }

  /** Calls a function whose result nobody waits for. */
  notify<K extends keyof Theirs & string>(name: K, argument: Argument<Theirs, K>): void {
    this.#post({ kind: "call", name, argument, id: null });
  }

  /** Rejects if the function fails, or if the other thread exits before it has ended. */
  request<K extends keyof Theirs & string>(
    name: K,
    argument: Argument<Theirs, K>,
  ): Promise<Result<Theirs, K>> {
    const outcome = Promise.withResolvers<unknown>();
    this.#lastId += 1;
    this.#waiting.set(this.#lastId, outcome);
    this.#post({ kind: "call", name, argument, id: this.#lastId });
    return outcome.promise as Promise<Result<Theirs, K>>;
  }

  receive(message: Message, functions: Readonly<Record<string, (argument: never) => unknown>>): void {
    if (message.kind === "call") void this.#run(message, functions[message.name]);
    if (message.kind === "result") this.#taken(message.id)?.resolve(message.value);
    if (message.kind === "error") this.#taken(message.id)?.reject(new Error(message.reason));
  }

  rejectAll(reason: string): void {
    for (const outcome of this.#waiting.values()) outcome.reject(new Error(reason));
    this.#waiting.clear();
  }

  async #run(
    { argument, id }: Message & { kind: "call" },
    work: ((argument: never) => unknown) | undefined,
  ): Promise<void> {
    if (id === null) {
      await work?.(argument as never);
      return;
    }
    try {
      this.#post({ kind: "result", id, value: await work?.(argument as never) });
    } catch (error) {
      this.#post({ kind: "error", id, reason: reasonOf(error) });
    }
  }

  #taken(id: number): PromiseWithResolvers<unknown> | undefined {
    const outcome = this.#waiting.get(id);
    this.#waiting.delete(id);
    return outcome;
  }
}

interface ThreadParts<Mine> {
  /** The code and the settings of the next start. */
  readonly open: () => { readonly file: URL; readonly data: unknown; readonly transfer?: Transferable[] };
  readonly offers: Mine;
  /** It could not start, or exited without being stopped. It will be started again. */
  readonly exited: (reason: string) => void;
}

const restartAfterMs = 1_000;

/** A worker thread that is restarted when it exits. */
export class WorkerThread<Theirs extends Offered<Theirs> & Stoppable, Mine extends Offered<Mine>> {
  readonly #parts: ThreadParts<Mine>;
  #worker: Worker | null = null;
  #calls: ThreadCalls<Theirs> | null = null;
  #starting = unobserved();
  #exit = Promise.withResolvers<void>();
  #restart: ReturnType<typeof setTimeout> | undefined;
  #isStopping = false;

  constructor(parts: ThreadParts<Mine>) {
    this.#parts = parts;
    this.#start();
  }

  /** Resolves when the present start is complete, or the next one if it has exited; rejects if that fails. */
  get started(): Promise<void> {
    return this.#starting.promise;
  }

  /** Null while it is not running. Calls made before it has started wait for that. */
  get calls(): ThreadCalls<Theirs> | null {
    return this.#calls;
  }

  /** Asks it to stop, and terminates it when it has, or when the time is over. */
  async stop(timeoutMs?: number): Promise<void> {
    this.#isStopping = true;
    clearTimeout(this.#restart);
    const [worker, calls] = [this.#worker, this.#calls];
    if (worker === null || calls === null) return;
    const late = Promise.withResolvers<void>();
    const timer = timeoutMs === undefined ? undefined : setTimeout(late.resolve, timeoutMs);
    const stop = calls as ThreadCalls<Stoppable>;
    const stopped = stop.request("stop", undefined as never).catch(() => undefined);
    await Promise.race([stopped, this.#exit.promise, late.promise]);
    clearTimeout(timer);
    await worker.terminate();
  }

  #start(): void {
    const { file, data, transfer } = this.#parts.open();
    const worker = new Worker(file, { workerData: data, ...(transfer && { transferList: transfer }) });
    const calls = new ThreadCalls<Theirs>((message) => worker.postMessage(message));
    const end = (reason: string) => this.#end(worker, reason);
    worker.on("message", (message: Message) => {
      if (message.kind === "ready") this.#starting.resolve();
      else if (message.kind === "failed") {
        // Parts of it may be running.
        void worker.terminate();
        end(message.reason);
      } else calls.receive(message, this.#parts.offers);
    });
    worker.on("error", (error) => end(reasonOf(error)));
    worker.on("exit", () => end("The thread has exited."));
    this.#worker = worker;
    this.#calls = calls;
  }

  #end(worker: Worker, reason: string): void {
    if (this.#worker !== worker) return;
    this.#calls?.rejectAll(reason);
    this.#worker = null;
    this.#calls = null;
    this.#exit.resolve();
    if (!this.#isStopping) {
      this.#exit = Promise.withResolvers();
      this.#restart = setTimeout(() => this.#start(), restartAfterMs);
      this.#restart.unref();
    }
    this.#starting.reject(new Error(reason));
    this.#starting = unobserved();
    if (!this.#isStopping) this.#parts.exited(reason);
  }
}

/** The other side, in the worker: starts it, and then serves the calls of the thread that created it. */
export async function runWorker<
  Settings,
  Theirs extends Offered<Theirs>,
  Mine extends Offered<Mine> & Stoppable,
>(start: (settings: Settings, creator: ThreadCalls<Theirs>) => Promise<Mine>): Promise<void> {
  const post = (message: Message) => parentPort?.postMessage(message);
  const creator = new ThreadCalls<Theirs>(post);
  try {
    const offered = await start(workerData, creator);
    parentPort?.on("message", (message: Message) => creator.receive(message, offered));
    post({ kind: "ready" });
  } catch (error) {
    post({ kind: "failed", reason: reasonOf(error) });
  }
}

/** A start whose failure may go unobserved. */
function unobserved(): PromiseWithResolvers<void> {
  const outcome = Promise.withResolvers<void>();
  outcome.promise.catch(() => {});
  return outcome;
}
