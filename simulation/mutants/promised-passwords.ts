/** Mutants of what is promised of passwords, cookies and headers of the settings, and of links that change something. */
import type { PromiseMutant } from './promise-mutant.ts';

const OWN = 'what opens a host goes with its requests, and to no other host';
const CHANGES = 'no link that changes something is requested by somebody who is known to the site';

const ADMISSION = 'shared/crawler/turn/links/admission.ts';
const OWN_HEADERS = 'shared/crawler/fetcher/own-headers.ts';
const OF_CHANGE = 'if (isNamed || !isChangeUrl(url)) return undefined;';

const ofChanges: readonly Omit<PromiseMutant, 'promise' | 'file' | 'breaks'>[] = [
  { what: 'a link is followed whatever it does', edits: [[OF_CHANGE, 'if (url) return undefined;']] },
  {
    what: 'a link is followed with a password',
    edits: [
      ['return sent !== undefined && Object.keys(sent)', 'return sent === undefined && Object.keys({ url })'],
    ],
  },
  {
    what: 'a link is followed by an account',
    edits: [[OF_CHANGE, 'if (isNamed || accounts || !isChangeUrl(url)) return undefined;']],
    worlds: 'members',
  },
  {
    what: 'a seed is left out, too',
    edits: [
      [
        'const isNamed = record.depth === 0 || isOwnRequest(record.url);',
        'const isNamed = url !== record.url;',
      ],
    ],
  },
  {
    what: 'a request of a hook is left out, too',
    edits: [
      [
        'const isNamed = record.depth === 0 || isOwnRequest(record.url);',
        'const isNamed = record.depth === 0;',
      ],
    ],
  },
  {
    what: 'a link is left out though nobody is known',
    edits: [
      [
        'if (accounts === undefined && (isNamed || !this.#hasCredentials(url))) return undefined;',
        'if (accounts === undefined && isNamed) return undefined;',
      ],
    ],
  },
];

const ofOwn: readonly Omit<PromiseMutant, 'promise' | 'file' | 'breaks'>[] = [
  {
    what: 'a password goes to every host',
    edits: [['passwordsOf(url).at(-1);', 'passwords.at(-1)?.[1];']],
  },
  {
    what: 'a header goes to every host',
    edits: [['for (const one of headersOf(url))', 'for (const [, one] of given)']],
  },
  {
    what: 'a cookie goes to every host',
    edits: [
      [
        'const sent = cookiesOf(url, now);',
        "const sent = cookies.map(({ name, value }) => `${name}=${value}`).join('; ') || undefined;",
      ],
    ],
  },
  {
    what: 'a password is not sent',
    edits: [['if (password !== undefined)', "if (password === '')"]],
  },
];

export const PASSWORD_MUTANTS: readonly PromiseMutant[] = [
  ...ofChanges.map((mutant) => ({ promise: CHANGES, file: ADMISSION, ...mutant })),
  ...ofOwn.map((mutant) => ({ promise: OWN, file: OWN_HEADERS, ...mutant })),
].map((mutant) => ({ worlds: 'locked' as const, ...mutant, breaks: ['passwordsKept' as const] }));
