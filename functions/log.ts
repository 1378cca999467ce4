import { causeOf, isInstance, messageOf, textOf } from '../shared/core/base/error-message.ts';
import { jsonOf, type LogLevel } from '../shared/core/text/log-entry.ts';

/** Writes one line to the function's log. */
export type Log = (level: LogLevel, fields: Readonly<Record<string, unknown>>) => void;

/** A JSON object per line, which CloudWatch Logs Insights parses by itself. */
export const logLine: Log = (level, fields) => {
  writeLine(jsonOf({ level, ...fields }));
};

/** Not by `console`: Lambda's own would wrap the line into another object. */
export function writeLine(line: string): void {
  process.stdout.write(`${line}\n`);
}

/** An error's name, message and cause, for people. */
export function errorFields(error: unknown): { readonly message: string; readonly cause?: string } {
  const cause = isInstance(error, Error) ? causeOf(error) : undefined;
  return { message: withName(error), ...(cause !== undefined && { cause: withName(cause) }) };
}

const withName = (error: unknown): string =>
  isInstance(error, Error) ? `${textOf(error, 'name') ?? 'Error'}: ${messageOf(error)}` : messageOf(error);
