/** The refusal for a page that was not read: why, and what to do instead. */
import { ToolError } from './tool-error.ts';
import { sentence } from './tools/fields.ts';

const ADVICE: readonly (readonly [words: RegExp, code: string, advice: string])[] = [
  [/robots\.txt, line|: robots\.txt$/, 'robotsDenied', 'Strand obeys it: use another page.'],
  [/forbids its use/, 'usageForbidden', 'Strand obeys it: use another source.'],
  [/--allow-hosts/, 'hostNotAllowed', 'Ask the operator, or use another page.'],
  [/allows .{1,40} a day/, 'dayUsedUp', ''],
  [/private|not public|loopback|reserved|address/i, 'addressRefused', 'Only public addresses are read.'],
];

/** `error`: `PageNotRead`; any other is given back. */
export function notRead(error: Error): Error {
  if (error.name !== 'PageNotRead') return error;
  const { message } = error;
  const [, code, advice] = ADVICE.find(([words]) => words.test(message)) ?? OTHER;
  return new ToolError(code, `${sentence(message)}. ${advice}`.trim());
}

const OTHER = ['', 'notRead', 'Check the URL, or try again later.'] as const;
