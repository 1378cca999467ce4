/**
 * Bodies in HTTP's chunked transfer coding (RFC 9112, section 7.1), which other writers keep in their WARC
 * files.
 */

export interface Dechunker {
  write(bytes: Uint8Array): void;
  /** Whether the last chunk has come, and nothing was wrong before it. */
  isWhole(): boolean;
}

/** A line with a chunk's size and extensions, or a trailer; longer ones are none. */
const MAX_LINE = 8192;

/** Calls `onData` with the chunks' bytes as they come; nothing more after the first thing that is wrong. */
export function createDechunker(onData: (bytes: Uint8Array) => void): Dechunker {
  let state: 'size' | 'data' | 'dataEnd' | 'trailer' | 'whole' | 'wrong' = 'size';
  let left = 0;
  let line = '';

  const endLine = () => {
    const text = line.replace(/\r$/, '');
    line = '';
    if (state === 'dataEnd') state = text === '' ? 'size' : 'wrong';
    else if (state === 'trailer') state = text === '' ? 'whole' : 'trailer';
    else {
      const size = /^([0-9a-f]{1,13})[ \t]*(?:;.*)?$/i.exec(text)?.[1];
      left = Number.parseInt(size ?? '0', 16);
      state = size === undefined ? 'wrong' : left > 0 ? 'data' : 'trailer';
    }
  };

  return {
    write(bytes) {
      for (let at = 0; at < bytes.length && state !== 'whole' && state !== 'wrong'; ) {
        if (state === 'data') {
          const part = bytes.subarray(at, at + left);
          onData(part);
          at += part.length;
          left -= part.length;
          if (left === 0) state = 'dataEnd';
          continue;
        }
        const end = bytes.indexOf(0x0a, at);
        const stop = end < 0 ? bytes.length : end;
        line += Buffer.from(bytes.subarray(at, Math.min(stop, at + MAX_LINE))).toString('latin1');
        if (line.length > MAX_LINE) state = 'wrong';
        else if (end >= 0) endLine();
        at = stop + 1;
      }
    },
    isWhole: () => state === 'whole',
  };
}
