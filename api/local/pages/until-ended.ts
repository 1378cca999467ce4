/** Work that is given up when something else ends. `Promise.race` with one promise that stays would keep each result with it. */
export class UntilEnded {
  readonly #rejects = new Set<(reason: unknown) => void>();
  #end: { readonly reason: unknown } | undefined;

  /** Settles as `work` does, or rejects with the reason of the end. */
  settled<T>(work: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      if (this.#end) reject(this.#end.reason);
      this.#rejects.add(reject);
      work.then(resolve, reject).finally(() => this.#rejects.delete(reject));
    });
  }

  /** The first reason counts. */
  end(reason: unknown): void {
    this.#end ??= { reason };
    for (const reject of this.#rejects) reject(this.#end.reason);
  }
}
