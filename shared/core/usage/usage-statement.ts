/** Preferences of a site about the use of its content: as stated, and as combined. */

/** The name of a signal, as the field, line or directive is called. */
export type UsageSignal =
  /** AIPREF (draft-ietf-aipref-attach, draft-ietf-aipref-vocab). */
  | 'content-usage'
  /** https://contentsignals.org */
  | 'content-signal'
  /** TDM Reservation Protocol (W3C Community Group report, 2024). */
  | 'tdm-reservation'
  | 'tdm-policy'
  /** RSL 1.0: where the licence is. */
  | 'license'
  /** RSL 1.0: the uses that the licence allows without permission, in the form of Content-Usage. */
  | 'rsl'
  /** `noai` and similar words, in X-Robots-Tag and in `<meta name="robots">`. */
  | 'robots';

/** A statement of one signal about a page. */
export interface UsageStatement {
  readonly signal: UsageSignal;
  readonly source: 'robots.txt' | 'license' | 'tdmrep.json' | 'header' | 'html';
  /** In one form for equal statements: `search=y, train-ai=n`; a URL as it was written. */
  readonly value: string;
}

/** By use (`search`, `ai-input`, `train-ai`, `tdm`, other labels of AIPREF): `y` is allowed, `n` is not. */
export type UsagePreferences = Readonly<Record<string, 'y' | 'n'>>;

/** Words of robots directives that are about the use of content. */
const WORDS = /^(?:no(?:ai|imageai|train|archive|cache|snippet))$/;
/** Directives that forbid training. `noimageai` is about images alone. */
const NO_TRAINING = /\bno(?:ai|train)\b/;
/** Longer URLs of licences and policies are ignored. */
const MAX_URL = 2083;

/** The words among robots directives that are about the use of content, in the order of the alphabet. */
export function usageWords(directives: string): string {
  const words = directives.toLowerCase().split(/[\t\n\f\r ,]+/);
  return [...new Set(words.filter((word) => WORDS.test(word)))].sort().join(', ');
}

/** The value of `tdm-reservation`, or the URL of a policy or licence; '' if it is neither. */
export function plainValue(signal: UsageSignal, value: string): string {
  const text = value.trim();
  const isValid = signal === 'tdm-reservation' ? text === '0' || text === '1' : text.length <= MAX_URL;
  return isValid ? text : '';
}

/**
 * Combines the statements about a page: what one of them forbids no other allows (draft-ietf-aipref-vocab,
 * section 7.1). Uses that no statement names are missing. A page's own `tdm-reservation` replaces that of its
 * header, and both that of the site's file (TDMRep, section 6).
 */
export function combineUsage(statements: readonly UsageStatement[]): UsagePreferences {
  const uses = new Map<string, 'y' | 'n'>();
  const add = (use: string, is: 'y' | 'n') => {
    if (uses.get(use) !== 'n') uses.set(use, is);
  };
  const reserving = (['html', 'header', 'tdmrep.json'] as const).find((source) =>
    statements.some((one) => one.signal === 'tdm-reservation' && one.source === source),
  );
  for (const { signal, source, value } of statements) {
    if (signal === 'content-usage' || signal === 'content-signal' || signal === 'rsl') {
      for (const member of value.split(', ')) {
        const [use = '', is = ''] = member.split('=');
        if (use !== 'use') add(use === 'ai-train' ? 'train-ai' : use, is.startsWith('y') ? 'y' : 'n');
      }
    } else if (signal === 'robots') {
      if (NO_TRAINING.test(value)) add('train-ai', 'n');
    } else if (signal === 'tdm-reservation' && source === reserving) add('tdm', value === '1' ? 'n' : 'y');
  }
  return Object.fromEntries(uses);
}
