import { type HostKey, hostKey } from '../../../url/host-key.ts';

/** A place holds a length (two bytes) and so many bytes of a URL. */
const PLACE_BYTES = 2048;
const LENGTH_BYTES = 2;

export const boardMemory = (places: number): Uint8Array =>
  new Uint8Array(new SharedArrayBuffer(places * PLACE_BYTES));

/** What a thread writes onto its board: which URL each of the hosts that it serves was last asked for. */
export interface Board {
  /** The host is served from now on. */
  serve(host: HostKey): void;
  /** The URL is asked for. Of one too long for the board, and of hosts not served, nothing is noted. */
  note(url: string): void;
  /** The host is not served any more: what it was asked for has killed nobody. */
  leave(host: HostKey): void;
  /**
   * Nothing is noted or forgotten any more: the thread ends, though code of it may still run for a moment.
   */
  freeze(): void;
}

/** A board outlives its thread: it shows what a dead thread was doing. Costs 1 us for a URL. */
export function createBoard(memory: Uint8Array): Board {
  const view = new DataView(memory.buffer);
  const free = Array.from({ length: memory.length / PLACE_BYTES }, (_, i) => i * PLACE_BYTES);
  const places = new Map<HostKey, number>();
  const encoder = new TextEncoder();
  let isFrozen = false;
  return {
    serve(host) {
      const at = places.get(host) ?? free.pop();
      if (at !== undefined) places.set(host, at);
    },
    note(url) {
      const at = places.get(hostKey(url));
      if (at === undefined || isFrozen) return;
      view.setUint16(at, 0);
      const place = memory.subarray(at + LENGTH_BYTES, at + PLACE_BYTES);
      const { read, written } = encoder.encodeInto(url, place);
      if (read === url.length) view.setUint16(at, written);
    },
    leave(host) {
      const at = places.get(host);
      if (at === undefined || isFrozen) return;
      view.setUint16(at, 0);
      places.delete(host);
      free.push(at);
    },
    freeze() {
      isFrozen = true;
    },
  };
}

/** The URLs on a board, which is empty then. To be called when its thread is no more. */
export function takeBoard(memory: Uint8Array): string[] {
  const view = new DataView(memory.buffer);
  const urls: string[] = [];
  for (let at = 0; at < memory.length; at += PLACE_BYTES) {
    const length = view.getUint16(at);
    // Shared memory is not decoded as it is.
    if (length > 0)
      urls.push(Buffer.from(memory.slice(at + LENGTH_BYTES, at + LENGTH_BYTES + length)).toString());
  }
  memory.fill(0);
  return urls;
}
