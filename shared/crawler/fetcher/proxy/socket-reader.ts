import type { Socket } from 'node:net';

/**
 * Reads the answers of a proxy from a socket, byte by byte as they are requested; bytes beyond go back to the
 * socket. Rejects once the connection ends or breaks.
 */
export class SocketReader {
  readonly #socket: Socket;
  #bytes: Buffer = Buffer.alloc(0);
  #failure: Error | undefined;
  #waiting: { resolve: () => void; reject: (error: Error) => void } | undefined;

  constructor(socket: Socket) {
    this.#socket = socket;
    socket
      .on('data', this.#onData)
      .on('end', this.#onEnd)
      .on('close', this.#onEnd)
      .on('error', this.#onError);
  }

  write(data: string | Uint8Array): void {
    this.#socket.write(data);
  }

  async take(count: number): Promise<Buffer> {
    while (this.#bytes.length < count) await this.#more();
    const taken = this.#bytes.subarray(0, count);
    this.#bytes = this.#bytes.subarray(count);
    return taken;
  }

  /** Text up to and with `end`; undefined if there are more than `most` bytes without it. */
  async until(end: string, most: number): Promise<string | undefined> {
    for (let from = 0; ; ) {
      const at = this.#bytes.indexOf(end, from);
      if (at >= 0) return (await this.take(at + end.length)).toString('latin1');
      if (this.#bytes.length > most) return undefined;
      from = Math.max(0, this.#bytes.length - end.length);
      await this.#more();
    }
  }

  /** Ends reading. */
  end(): void {
    const socket = this.#socket;
    socket.off('data', this.#onData).off('end', this.#onEnd).off('close', this.#onEnd);
    socket.pause();
    if (this.#bytes.length > 0 && !socket.destroyed) socket.unshift(this.#bytes);
    // The listener for errors stays: one must not be uncaught before the next owner listens.
  }

  #more(): Promise<void> {
    if (this.#failure) return Promise.reject(this.#failure);
    return new Promise((resolve, reject) => {
      this.#waiting = { resolve, reject };
    });
  }

  readonly #onData = (data: Buffer): void => {
    this.#bytes = this.#bytes.length === 0 ? data : Buffer.concat([this.#bytes, data]);
    this.#waiting?.resolve();
    this.#waiting = undefined;
  };

  readonly #onEnd = (): void => this.#onError(new Error('the connection was closed'));

  readonly #onError = (error: Error): void => {
    this.#failure ??= error;
    this.#waiting?.reject(error);
    this.#waiting = undefined;
  };
}
