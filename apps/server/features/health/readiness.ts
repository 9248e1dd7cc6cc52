const longestPingMs = 1_500;

/** Whether this node should be sent requests: the database answers, and the server is not on its way out. */
export class Readiness {
  readonly #ping: () => Promise<void>;
  #draining = false;

  constructor(ping: () => Promise<void>) {
    this.#ping = ping;
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
    const answers = this.#ping().then(
      () => true,
      () => false,
    );
    const ready = await Promise.race([answers, tooLate]);
    clearTimeout(timer);
    return ready;
  }
}
