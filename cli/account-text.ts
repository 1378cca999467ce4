import type { AccountReport } from '../shared/core/access/account-report.ts';
import { printable } from '../shared/core/text/printable.ts';
import { formatCounted } from './format.ts';

const WORDS: Readonly<Record<AccountReport['state'], string>> = {
  signedIn: 'signed in',
  signedOut: 'signed out',
  signingIn: 'signing in',
  resting: 'rests',
  locked: 'locked',
};

export function accountText(account: AccountReport): string {
  const { name, domain, state, pages, logins, failures, failure, restUntil, wanted } = account;
  const counts = [
    formatCounted(pages, 'request'),
    formatCounted(logins, 'login'),
    ...(failures > 0 ? [`${failures} failed`] : []),
  ];
  const rest = restUntil === undefined ? '' : ` until ${restUntil}`;
  const why = failure === undefined ? '' : `: ${printable(failure)}`;
  const more = wanted === undefined ? '' : `; all accounts are used up: ${wanted} would do`;
  return `${name} (${domain}): ${WORDS[state]}${rest}, ${counts.join(', ')}${why}${more}`;
}
