/** Lines of a log, as JSON and as text. */
import { printable, shorten } from './printable.ts';

/** The most important level first. */
export const LOG_LEVELS = ['error', 'warn', 'info', 'debug'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

export type LogFormat = 'text' | 'json';

/** A line of a log. */
export interface LogEntry {
  /** ms since the epoch. */
  readonly time: number;
  readonly level: LogLevel;
  /** Constant for each kind of entry; details are in the fields. */
  readonly message: string;
  /** Anything that JSON can hold. */
  readonly fields?: Readonly<Record<string, unknown>>;
}

/** Longest text of a line: a website may have sent it. */
const MAX_TEXT = 1000;

/** Whether an entry of `level` belongs in a log that shows `least` and more important levels. */
export const isLogged = (level: LogLevel, least: LogLevel): boolean =>
  LOG_LEVELS.indexOf(level) <= LOG_LEVELS.indexOf(least);

/** Returns the line without its end; the time as in ISO 8601. */
export const logLine = (entry: LogEntry, format: LogFormat): string =>
  format === 'json' ? jsonLine(entry) : textLine(entry);

function jsonLine({ time, level, message, fields }: LogEntry): string {
  return jsonOf({ time: timeText(time), level, message, ...fields });
}

/** JSON in one line, its texts cut to 1,000 characters, with escapes for what a terminal would obey. */
export function jsonOf(value: unknown): string {
  const json = JSON.stringify(value, (_, part) =>
    typeof part === 'string' && part.length > MAX_TEXT ? `${part.slice(0, MAX_TEXT)}…` : part,
  );
  return json.replace(/[\u007f-\u009f\u2028-\u202e\u2066-\u2069]/g, escapeOf);
}

const escapeOf = (char: string): string => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`;

/** `2026-11-23T04:00:00.000Z INFO Progress pages=12 bytes=34567`. */
function textLine({ time, level, message, fields = {} }: LogEntry): string {
  const words = Object.entries(fields).flatMap(([name, value]) =>
    value === undefined ? [] : [`${name}=${valueText(value)}`],
  );
  const text = printable(shorten(message, MAX_TEXT));
  return [timeText(time), level.toUpperCase().padEnd(5), text, ...words].join(' ');
}

/** Texts that could be read as something else are in quotes. */
function valueText(value: unknown): string {
  const text = typeof value === 'string' ? shorten(value, MAX_TEXT) : jsonOf(value);
  return printable(/^[^\s"=]+$/.test(text) || typeof value !== 'string' ? text : JSON.stringify(text));
}

const timeText = (ms: number): string => new Date(ms).toISOString();
