import { expect, test } from 'vitest';
import type { FetchedResponse } from '../../../shared/core/outcome/fetch-outcome.ts';
import { memoryBody } from '../../../shared/core/outcome/memory-body.ts';
import { createHostCookies } from '../../../shared/crawler/access/host-cookies.ts';
import type { Account } from '../../../shared/crawler/turn/access/accounts.ts';
import { createAccounts } from '../../../shared/services/accounts/create-accounts.ts';
import type { AccountOptions, LoginTools } from '../../../shared/services/project/account-options.ts';

type Secret = LoginTools['secret'];

const HOST = 'members.example.org';

function accountOf(options: Partial<AccountOptions>, text = ''): Account {
  const all = { name: 'one', hosts: [HOST], signedIn: { text: 'Hello' }, login() {}, ...options };
  const [account] = createAccounts([all], async () => text)?.of(HOST) ?? [];
  if (account === undefined) throw new Error('Expected an account');
  return account;
}

const responseOf = (html: string, headers: FetchedResponse['headers'] = []): FetchedResponse => ({
  ...({ status: 'response', url: `https://${HOST}/`, httpStatus: 200, statusText: '' } as const),
  headers: [['Content-Type', 'text/html'], ...headers],
  body: memoryBody(Buffer.from(html)),
  ...{ startedAt: 0, endedAt: 0, requestHead: Buffer.alloc(0), ipAddress: '' },
});

/** The message of a login that throws one with its secret in it. */
async function failureOf(secret: string, message: (secret: Secret) => string): Promise<string> {
  const login: AccountOptions['login'] = (tools) => {
    throw new Error(message(tools.secret));
  };
  const at = {
    origin: `https://${HOST}`,
    cookies: createHostCookies(Date.now),
    fetch: () => Promise.reject(),
  };
  const working = accountOf({ login, secret: 'env:SECRET' }, secret).login?.(at);
  return working?.then(String, (error: Error) => error.message) ?? '';
}

test('a pattern with the flag g matches each time that it is asked', async () => {
  const account = accountOf({ signedIn: { text: /Hello/g }, signOut: /bye/g });
  for (let i = 0; i < 3; i++) {
    expect(account.isSignOut(`https://${HOST}/bye`)).toBe(true);
    expect(await account.signOf(responseOf('<p>Hello'))).toBe('in');
  }
});

test('a page that cannot be decoded shows nothing', async () => {
  const broken = responseOf('\x1f\x8bno gzip', [['Content-Encoding', 'br']]);
  expect(await accountOf({}).signOf(broken)).toBeUndefined();
});

test.each([
  ['a text', 'pass-word', (secret: Secret) => `with ${secret}`, 'with [removed]'],
  [
    'a value inside',
    '{"a":{"b":["pass-word"]}}',
    (secret: Secret) => `with ${secret.a.b[0]}`,
    'with [removed]',
  ],
  ['a number', '{"pin":123456}', (secret: Secret) => `with ${secret.pin}`, 'with [removed]'],
  [
    'a value that begins with another one',
    '{"a":"pass","b":"password"}',
    (secret: Secret) => secret.b,
    '[removed]',
  ],
  ['a part of a URL', '"pass word&"', (secret: Secret) => `?a=${encodeURIComponent(secret)}`, '?a=[removed]'],
  [
    'a field of a form',
    '"pass word&"',
    (word: Secret) => `${new URLSearchParams({ word })}`,
    'word=[removed]',
  ],
  ['JSON', '{"a":"pass\\"word"}', (secret: Secret) => JSON.stringify(secret), '{"a":"[removed]"}'],
])('a message with the secret as %s shows none of it', async (_, secret, message, shown) => {
  expect(await failureOf(secret, message)).toBe(shown);
});

test('a word such as true is no secret', async () => {
  expect(await failureOf('{"isTrue":true}', () => 'Expected true')).toBe('Expected true');
});

test('an account takes the cookies of its own site from a file with those of all sites', async () => {
  const line = (domain: string) => `.${domain}\tTRUE\t/\tTRUE\t0\tid\t${domain}\n`;
  const account = accountOf({ cookies: 'file:cookies.txt' }, line('example.org') + line('example.net'));
  expect(await account.cookies(HOST)).toMatchObject([{ domain: 'example.org' }]);
});
