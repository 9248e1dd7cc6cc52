/** How many calls this process has validated, visible to every thread. */
export class CallCount {
  readonly shared: SharedArrayBuffer;
  readonly #count: Float64Array;

  constructor(shared = new SharedArrayBuffer(8)) {
    this.shared = shared;
    this.#count = new Float64Array(shared);
  }

  get value(): number {
    return this.#count[0] ?? 0;
  }

  add(calls: number): void {
    this.#count[0] = this.value + calls;
  }
}
