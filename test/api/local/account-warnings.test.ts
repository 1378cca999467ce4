import { expect, test } from 'vitest';
import { createAccountWarnings } from '../../../api/local/account-warnings.ts';
import type { AccountReport } from '../../../shared/core/access/account-report.ts';

const account = (given: Partial<AccountReport>): AccountReport => ({
  name: 'reader',
  domain: 'members.test',
  state: 'signedIn',
  pages: 0,
  logins: 0,
  failures: 0,
  ...given,
});

test('each failure of an account is said once, with what follows', () => {
  const lines: string[] = [];
  const look = createAccountWarnings((line) => lines.push(line));
  const failure = 'wrong password';
  const first = account({ state: 'resting', failures: 1, failure, restUntil: '2026-11-01T10:00:00.000Z' });
  look([]);
  look([account({})]);
  for (let looks = 0; looks < 3; looks++) look([first]);
  look([account({ state: 'signingIn', failures: 1, failure })]);
  for (let looks = 0; looks < 3; looks++) look([account({ state: 'locked', failures: 2, failure })]);
  look([account({ name: 'other', state: 'locked', failure: 'it is signed out' })]);
  expect(lines).toEqual([
    'The account reader (members.test) cannot sign in: wrong password; it rests until 2026-11-01T10:00:00.000Z',
    'The account reader (members.test) cannot sign in: wrong password; it is locked',
    'The account other (members.test) cannot sign in: it is signed out; it is locked',
  ]);
});
