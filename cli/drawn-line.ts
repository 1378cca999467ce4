/** A line at the end of a terminal's text that is drawn over itself. */
import { printable } from '../shared/core/text/printable.ts';
import { type Tone, toned } from './format.ts';

/** A piece of the line. */
export interface Part {
  readonly text: string;
  /** The part with the highest number is dropped first. */
  readonly rank: number;
  readonly tone?: Tone;
}

const BETWEEN = '  ';

/**
 * At most `columns` characters (escape sequences of colours not counted), without line breaks: the parts that
 * fit, by importance, in the order given.
 */
export function renderParts(all: readonly Part[], columns: number, colour: boolean): string {
  const parts = [...all];
  while (parts.length > 1 && widthOf(parts) > columns) {
    const least = parts.reduce((worst, part) => (part.rank > worst.rank ? part : worst));
    parts.splice(parts.indexOf(least), 1);
  }
  if (widthOf(parts) > columns) return parts[0]!.text.slice(0, Math.max(0, columns));
  return parts.map(({ text, tone }) => (tone ? toned(text, tone, colour) : text)).join(BETWEEN);
}

function widthOf(parts: readonly Part[]): number {
  return parts.reduce((width, { text }) => width + text.length, BETWEEN.length * (parts.length - 1));
}

/** The properties of `process.stderr` that are used. */
export interface LiveStream {
  readonly isTTY?: boolean;
  readonly columns?: number;
  write(text: string): unknown;
}

/** The variables of `process.env` that are used. */
export interface TerminalEnvironment {
  readonly NO_COLOR?: string | undefined;
  readonly TERM?: string | undefined;
}

/**
 * Returns the abilities of the stream's reader: a line that is drawn over itself (`isLive`), colours. A pipe
 * and a dumb terminal show neither; a NO_COLOR that is not empty forbids colours (no-color.org).
 */
export function terminalOf(
  stream: Pick<LiveStream, 'isTTY'>,
  environment: TerminalEnvironment,
): { readonly isLive: boolean; readonly colour: boolean } {
  const isLive = stream.isTTY === true && environment.TERM !== 'dumb';
  return { isLive, colour: isLive && !environment.NO_COLOR };
}

export interface DrawnLine {
  /** Whether there is a terminal to draw on. Where there is none, `draw` does nothing. */
  readonly isLive: boolean;
  draw(parts: readonly Part[]): void;
  /** Prints a line that stays, above the drawn one. A pipe gets it too. */
  log(line: string): void;
  /** Takes the drawn line away; later ones are not drawn. Safe to repeat. */
  done(): void;
}

/** Back to the line's start, and erase to its end (ECMA-48: CR, EL). */
const ERASE = '\r\x1b[K';

/** A line at the end of `stream`, to which nothing else writes until `done`. */
export function createDrawnLine(stream: LiveStream, environment: TerminalEnvironment): DrawnLine {
  const { isLive, colour } = terminalOf(stream, environment);
  let drawn = '';
  let isDone = !isLive;
  return {
    isLive,
    draw(parts) {
      if (isDone) return;
      // A column stays free: a full line makes some terminals continue to the next one.
      drawn = renderParts(parts, (stream.columns || 80) - 1, colour);
      stream.write(ERASE + drawn);
    },
    log(line) {
      stream.write(`${drawn ? ERASE : ''}${printable(line)}\n${drawn}`);
    },
    done() {
      isDone = true;
      if (drawn) stream.write(ERASE);
      drawn = '';
    },
  };
}
