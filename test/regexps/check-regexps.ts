/**
 * Whether regular expressions take linear time on every text, by recheck
 * (https://makenowjust-labs.github.io/recheck/).
 */
import { createRequire } from 'node:module';
import type { check } from 'recheck';
import { type FoundRegexp, findRegexps } from './find-regexps.ts';

// The build in JavaScript: the same answers on every machine, and 52 MB less to install.
const require = createRequire(import.meta.url);
const { checkSync } = require('recheck/lib/browser.js') as { checkSync: SyncCheck };
type SyncCheck = (...args: Parameters<typeof check>) => Awaited<ReturnType<typeof check>>;

const TIMEOUT_MS = 60_000;
/** The fuzzer of recheck draws random numbers: the same ones at each run. */
const SEED = 1;

/** A fault in one line, as `file:line: what, and the text that shows it`. */
export type Fault = string;

/** `linear`: a set of literals that passed before, which are not tried again; what passes is added. */
export function checkSource(file: string, source: string, linear: Set<string>): Fault[] {
  return findRegexps(source).flatMap((found) => {
    const fault = faultOf(found, linear);
    return fault === undefined ? [] : [`${file}:${found.line}: ${fault}`];
  });
}

function faultOf({ literal, text, reason }: FoundRegexp, linear: Set<string>): string | undefined {
  if (reason !== undefined || linear.has(text)) return undefined;
  if (literal === undefined)
    return `${text} is made at run time, and cannot be checked. Write a literal, or why it takes linear time: // linear: ...`;
  const flags = literal.flags.replace(/d/g, '');
  const found = checkSync(literal.source, flags, { timeout: TIMEOUT_MS, randomSeed: SEED });
  if (found.status === 'safe') {
    linear.add(text);
    return undefined;
  }
  if (found.status === 'unknown') return `${text} could not be checked (${found.error.kind}). ${REMEDY}`;
  return `${text} takes ${found.complexity.summary} time on ${found.attack.pattern}. ${REMEDY}`;
}

const REMEDY = 'Write it otherwise, or why no text from outside can do harm: // linear: ...';
