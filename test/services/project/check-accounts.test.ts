import { expect, test } from 'vitest';
import { accountFaults } from '../../../shared/services/project/check-accounts.ts';

const ACCOUNT = {
  name: 'one',
  hosts: ['members.example.org'],
  login() {},
  signedIn: { selector: 'nav .me' },
};

test.each([
  ['a sign of each kind', { signedOut: { selector: 'form', text: /x/, location: '/in', status: [404] } }],
  ['cookies instead of a login', { login: undefined, cookies: 'file:cookies.txt' }],
])('an account with %s has no faults', async (_, options) => {
  expect(await accountFaults([{ ...ACCOUNT, ...options }])).toEqual([]);
});

test.each([
  ['a status that is no list', { signedOut: { status: 404 } }, 'signedOut to have selector, text, location'],
  ['a status that is no number', { signedOut: { status: ['404'] } }, 'signedOut to have selector'],
  ['an unknown key of a sign', { signedOut: { path: '/in' } }, 'signedOut to have selector'],
  ['a misspelt key beside a right one', { signedIn: { text: 'x', slector: 'a' } }, 'signedIn to be'],
  ['a selector that is none', { signedIn: { selector: 'a[' } }, 'signedIn.selector to be a CSS selector'],
  [
    'a selector that nobody knows',
    { signedOut: { selector: 'a:me' } },
    'signedOut.selector to be a CSS selector',
  ],
  ['hosts of two domains', { hosts: ['example.org', 'example.net'] }, 'hosts to be patterns'],
  ['a secret in the file', { secret: 'pass-word' }, 'secret to be env:NAME'],
  ['an unknown key', { user: 'pass-word' }, 'to have the keys'],
])('an account with %s is refused, and no value is shown', async (_, options, fault) => {
  const faults = await accountFaults([{ ...ACCOUNT, ...options }]);
  expect(faults).toEqual([expect.stringContaining(fault)]);
  expect(faults.join()).not.toContain('pass-word');
});
