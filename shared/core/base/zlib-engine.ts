/** An engine of Node's zlib for many contents, one after the other. Functions such as `gzipSync` make one for each. */

/** The part of Node's zlib binding that its streams use, too. */
interface Binding {
  onerror: () => void;
  reset(): void;
  writeSync(
    flush: number,
    input: Uint8Array,
    inputAt: number,
    inputLength: number,
    output: Uint8Array,
    outputAt: number,
    outputLength: number,
  ): void;
}

export interface ZlibEngine {
  readonly binding: Binding;
  /** After a call: the bytes left of the output and of the input. After a fault they are as they were. */
  readonly left: Uint32Array;
}

/** Takes the engine out of a new stream of `node:zlib`. Undefined: this Node has others. */
export function zlibEngine(stream: object): ZlibEngine | undefined {
  const { _handle: binding, _writeState: left } = stream as { _handle?: Binding; _writeState?: Uint32Array };
  if (typeof binding?.writeSync !== 'function' || !(left instanceof Uint32Array)) return undefined;
  // By itself it would end the stream.
  binding.onerror = () => {};
  return { binding, left };
}
