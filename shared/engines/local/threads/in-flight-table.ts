import { type HostKey, hostKey } from '../../../core/url/host-key.ts';

/** A place holds a length (two bytes) and that many bytes of a URL. */
const PLACE_BYTES = 2048;
const LENGTH_BYTES = 2;

export const inFlightMemory = (places: number): Uint8Array =>
  new Uint8Array(new SharedArrayBuffer(places * PLACE_BYTES));

/** Records, for each host that a thread serves, the URL that most likely kills the thread, if one does. */
export interface InFlightTable {
  /** Adds a host. */
  serve(host: HostKey): void;
  /** Records a request: of those of a host, the last one. URLs that are too long, and those of hosts that are not served, are not recorded. */
  note(url: string): void;
  /**
   * Records a page that a project's code reads, instead of the requests of its host, until the function that it returns is called.
   * If several pages of a host are read at once, the first of them.
   */
  hold(url: string): () => void;
  /** Removes a host: its last URL did not kill the thread. */
  leave(host: HostKey): void;
  /**
   * Stops all changes: the thread ends, though its code may still run for a moment.
   */
  freeze(): void;
}

interface Served {
  /** Its place: an offset into the memory. */
  readonly at: number;
  requested: string;
  readonly held: string[];
}

/** Creates a table in shared memory, which outlives its thread. Recording a URL takes 1 us. */
export function createInFlightTable(memory: Uint8Array): InFlightTable {
  const view = new DataView(memory.buffer);
  const free = Array.from({ length: memory.length / PLACE_BYTES }, (_, i) => i * PLACE_BYTES);
  const served = new Map<HostKey, Served>();
  const encoder = new TextEncoder();
  let isFrozen = false;

  function write({ at, held, requested }: Served): void {
    if (isFrozen) return;
    const url = held[0] ?? requested;
    view.setUint16(at, 0);
    const place = memory.subarray(at + LENGTH_BYTES, at + PLACE_BYTES);
    const { read, written } = encoder.encodeInto(url, place);
    if (read === url.length) view.setUint16(at, written);
  }

  return {
    serve(host) {
      if (served.has(host)) return;
      const at = free.pop();
      if (at !== undefined) served.set(host, { at, requested: '', held: [] });
    },
    note(url) {
      const host = served.get(hostKey(url));
      if (host === undefined) return;
      host.requested = url;
      if (host.held.length === 0) write(host);
    },
    hold(url) {
      const key = hostKey(url);
      const host = served.get(key);
      if (host === undefined) return () => {};
      if (host.held.push(url) === 1) write(host);
      return () => {
        const index = host.held.indexOf(url);
        host.held.splice(index, 1);
        // The place may be another host's meanwhile.
        if (index === 0 && served.get(key) === host) write(host);
      };
    },
    leave(key) {
      const host = served.get(key);
      if (host === undefined || isFrozen) return;
      view.setUint16(host.at, 0);
      served.delete(key);
      free.push(host.at);
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
