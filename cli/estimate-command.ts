import { quoted } from '../shared/core/text/printable.ts';
import type { LocalCommandOf } from './command.ts';
import type { ParsedOptions } from './read-options.ts';
import { configOf, isSet, readWords } from './read-words.ts';
import { UsageError } from './usage-error.ts';

/** Ten thousand times the pages of the largest archives of the web. */
const MAX_COUNT = 1e15;
const UNITS: Readonly<Record<string, number>> = { '': 1, k: 1e3, m: 1e6, g: 1e9 };

/** `estimate PAGES HOSTS`. Throws {@link UsageError} for words that are no such numbers. */
export function estimateCommand(
  given: ParsedOptions,
  { config, json }: Pick<LocalCommandOf<'estimate'>, 'config' | 'json'>,
): LocalCommandOf<'estimate'> {
  const [first, second] = readWords('estimate', given, 'PAGES', 'HOSTS');
  const pages = readAmount('PAGES', first!);
  const hosts = readAmount('HOSTS', second!);
  if (hosts > pages) throw new UsageError(`Expected HOSTS to be at most PAGES, got ${hosts} and ${pages}`);
  return {
    verb: 'estimate',
    pages,
    hosts,
    config,
    options: configOf(given),
    even: isSet(given, 'even'),
    responseMs: given.values.get('response-time') as number | undefined,
    pageBytes: given.values.get('page-size') as number | undefined,
    json,
  };
}

/** `1000000`, `1,000,000`, `1e6`, `1M`, `10k`. */
function readAmount(name: string, text: string): number {
  const match = /^(\d{1,15}(?:\.\d{1,6})?(?:e\d{1,2})?)([kmg]?)$/i.exec(text.replaceAll(',', ''));
  const amount = match ? Math.round(Number(match[1]) * UNITS[match[2]!.toLowerCase()]!) : Number.NaN;
  if (amount >= 1 && amount <= MAX_COUNT) return amount;
  throw new UsageError(`Expected ${name} to be a number such as 5000, 10k or 1e6, got ${quoted(text)}`);
}
