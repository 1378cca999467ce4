export type LogLevel = 'info' | 'warn' | 'error';

/** Writes one line to the function's log. */
export type Log = (level: LogLevel, fields: Readonly<Record<string, unknown>>) => void;

/** What a line may hold of one text: a stranger's page or message may have made it. */
const MAX_TEXT = 1000;

/** One JSON object a line, which CloudWatch Logs Insights takes apart by itself. */
export const logLine: Log = (level, fields) => {
  writeLine(
    JSON.stringify({ level, ...fields }, (_, value) => (typeof value === 'string' ? cut(value) : value)),
  );
};

/** Not by `console`: Lambda's own would wrap the line into another object. */
export function writeLine(line: string): void {
  process.stdout.write(`${line}\n`);
}

/** An error's name, message and cause, for people. */
export function errorFields(error: unknown): { readonly message: string; readonly cause?: string } {
  if (!(error instanceof Error)) return { message: String(error) };
  const { name, message, cause } = error;
  return {
    message: `${name}: ${message}`,
    ...(cause !== undefined && {
      cause: cause instanceof Error ? `${cause.name}: ${cause.message}` : String(cause),
    }),
  };
}

const cut = (text: string): string => (text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT)}…` : text);
