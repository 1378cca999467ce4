import type { DrawnLine } from './drawn-line.ts';

/** What is needed of `process.stdout` and `process.stderr`. */
export interface SharedStream {
  readonly isTTY?: boolean;
  write: NodeJS.WriteStream['write'];
}

/**
 * Lets others write to the terminal at whose end `line` is drawn: a hook's `console.log` stands on lines of its own. Returns
 * what ends this. The line itself must write by {@link ownStream}, made before.
 */
export function shareTerminal(
  streams: readonly SharedStream[],
  line: Pick<DrawnLine, 'interject'>,
): () => void {
  const ends = streams
    .filter(({ isTTY }) => isTTY)
    .map((stream) => {
      const write = stream.write;
      const shared = (...args: Parameters<typeof write>): boolean => {
        line.interject(endsLine(args[0]));
        return write.apply(stream, args);
      };
      stream.write = shared as typeof write;
      return () => {
        if (stream.write === shared) stream.write = write;
      };
    });
  return () => {
    for (const end of ends) end();
  };
}

/** The stream as it is before it is shared. */
export function ownStream(stream: NodeJS.WriteStream) {
  const write = stream.write.bind(stream);
  return {
    isTTY: stream.isTTY,
    get columns() {
      return stream.columns;
    },
    write: (text: string) => write(text),
  };
}

const NEWLINE = 0x0a;

const endsLine = (chunk: string | Uint8Array): boolean =>
  typeof chunk === 'string' ? chunk.endsWith('\n') : chunk.at(-1) === NEWLINE;
