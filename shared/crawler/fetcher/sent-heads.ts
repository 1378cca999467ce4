import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { Socket } from 'node:net';
import type { Exchange } from './exchange.ts';

const SEND_CHANNEL = 'undici:client:sendHeaders';

/**
 * Gives each exchange the head of its request as sent, and its socket.
 *
 * undici publishes the head it sends, and its socket, on a channel of the whole process, in the same
 * synchronous step that starts the request: so the message after a start is about that request.
 */
export class SentHeads {
  #starting: Exchange | undefined;
  readonly #onSent = (message: unknown) => {
    const exchange = this.#starting;
    if (exchange === undefined) return;
    this.#starting = undefined;
    const { headers, socket } = message as { headers: string; socket: Socket };
    exchange.onSent(headers, socket);
  };

  constructor() {
    subscribe(SEND_CHANNEL, this.#onSent);
  }

  expectFor(exchange: Exchange): void {
    this.#starting = exchange;
  }

  close(): void {
    unsubscribe(SEND_CHANNEL, this.#onSent);
  }
}
