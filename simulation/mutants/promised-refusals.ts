/** Mutants of what is promised of sites that refuse the crawler (docs/politeness.md): worlds whose hosts refuse must notice them. */
import type { PromiseMutant } from './promise-mutant.ts';

const ALONE = 'a host that refuses the crawler is left alone for its rests, and tried four times';
const NO_PAGE = 'a challenge, a block or a price is no page';
const SAID = 'which hosts refuse is said, and no URL of theirs is lost';

const RULES = 'shared/core/frontier/host-refusal.ts';
const REFUSALS = 'shared/crawler/turn/refusal/refusals.ts';
const SIGNS = 'shared/crawler/turn/refusal/response-signs.ts';

const mutants: readonly Omit<PromiseMutant, 'worlds'>[] = [
  {
    promise: ALONE,
    what: 'the host does not rest',
    file: REFUSALS,
    edits: [['else if (state.restUntil !== undefined) pace.restForRefusal(state.restUntil);', '']],
    breaks: ['refusalsKept'],
  },
  {
    promise: ALONE,
    what: 'the second rest is as short as the first one',
    file: RULES,
    edits: [['const RESTS_MS = [HOUR_MS, 4 * HOUR_MS,', 'const RESTS_MS = [HOUR_MS, HOUR_MS,']],
    breaks: ['refusalsKept'],
  },
  {
    promise: ALONE,
    what: 'the host is never given up',
    file: RULES,
    edits: [['const restMs = RESTS_MS[rests];', 'const restMs = RESTS_MS[rests] ?? HOUR_MS;']],
    breaks: ['refusalsKept', 'ends'],
  },
  {
    promise: ALONE,
    what: 'a robots.txt that is refused is one that is not there',
    file: 'shared/crawler/turn/robots/robots-fetcher.ts',
    edits: [["return cause && { ...cause, at: 'robots' };", 'return undefined;']],
    breaks: ['refusalsKept', 'robotsObeyed'],
  },
  {
    promise: NO_PAGE,
    what: 'a challenge with status 200 is a page',
    file: SIGNS,
    edits: [['decodedBytes <= MAX_SIGN_BYTES &&', 'decodedBytes < 0 &&']],
    breaks: ['refusalsKept'],
  },
  {
    promise: NO_PAGE,
    what: 'a challenge that its body shows is a plain 403',
    file: SIGNS,
    edits: [
      ['return cause ?? (mayHaveSigns(httpStatus) ? challengeIn(response) : undefined);', 'return cause;'],
    ],
    breaks: ['refusalsKept'],
  },
  {
    promise: NO_PAGE,
    what: 'a URL that was refused counts as a page',
    file: 'shared/crawler/turn/page/visit.ts',
    edits: [['!wasAnswered && !isRefusal(page.cause);', '!wasAnswered;']],
    breaks: ['counted'],
  },
  {
    promise: SAID,
    what: 'a URL that is refused ends at its first try',
    file: REFUSALS,
    edits: [['if (isFirst) return { ...waits, retryMs: AGAIN_MS };', '']],
    breaks: ['refusalsKept'],
  },
  {
    promise: SAID,
    what: 'the totals do not count the host',
    file: REFUSALS,
    edits: [['const hosts = cause === undefined ? 0 : 1;', 'const hosts = 0;']],
    breaks: ['refusalsKept'],
  },
  {
    promise: SAID,
    what: 'the operator does not hear of the host',
    file: REFUSALS,
    edits: [['if (this.#news) output.addRefusal(', 'if (this.#news && !isGivenUp) output.addRefusal(']],
    breaks: ['refusalsKept'],
  },
];

export const REFUSAL_MUTANTS: readonly PromiseMutant[] = mutants.map((mutant) => ({
  ...mutant,
  worlds: 'refused',
}));
