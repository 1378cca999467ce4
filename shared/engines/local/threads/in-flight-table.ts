import { type HostKey, hostKey } from '../../../url/host-key.ts';

/** A place holds a length (two bytes) and that many bytes of a URL. */
const PLACE_BYTES = 2048;
const LENGTH_BYTES = 2;

export const inFlightMemory = (places: number): Uint8Array =>
  new Uint8Array(new SharedArrayBuffer(places * PLACE_BYTES));

/** Records, for each host that a thread serves, the URL that was requested last. */
export interface InFlightTable {
  /** Adds a host. */
  serve(host: HostKey): void;
  /** Records a request. URLs that are too long, and those of hosts that are not served, are not recorded. */
  note(url: string): void;
  /** Removes a host: its last URL did not kill the thread. */
  leave(host: HostKey): void;
  /**
   * Stops all changes: the thread ends, though its code may still run for a moment.
   */
  freeze(): void;
}

/** Creates a table in shared memory, which outlives its thread. Recording a URL takes 1 us. */
export function createInFlightTable(memory: Uint8Array): InFlightTable {
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

/** Returns the URLs in a table and clears it. Call it after the thread has ended. */
export function takeInFlight(memory: Uint8Array): string[] {
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
