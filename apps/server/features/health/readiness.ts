const longestPingMs = 1_500;

/** Whether this node should be sent requests: the database answers, and the server is not on its way out. */
export class Readiness {
  readonly #databaseAnswers: () => Promise<boolean>;
  #draining = false;

  constructor(databaseAnswers: () => Promise<boolean>) {
    this.#databaseAnswers = databaseAnswers;
  }

  drain(): void {
    this.#draining = true;
  }

  async isReady(): Promise<boolean> {
    if (this.#draining) return false;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const tooLate = new Promise<boolean>((resolve) => {
      timer = setTimeout(() => resolve(false), longestPingMs);
    });
    const ready = await Promise.race([this.#databaseAnswers(), tooLate]);
    clearTimeout(timer);
    return ready;
  }
}
