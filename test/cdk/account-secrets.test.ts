import { expect, test } from 'vitest';
import { stackSecretsOf } from '../../cdk/account-secrets.ts';
import type { AccountOptions } from '../../shared/services/project/account-options.ts';

const account = (name: string, more: Partial<AccountOptions>): AccountOptions => ({
  name,
  hosts: ['a.test'],
  signedIn: { text: 'Hello' },
  ...more,
});

test('a stack reads the secrets and cookies of all accounts, each once', () => {
  expect(stackSecretsOf()).toEqual([]);
  const accounts = [
    account('a', { secret: 'aws:secrets/news/a' }),
    account('b', { cookies: 'aws:ssm/news/b' }),
    account('c', { secret: 'aws:secrets/news/a' }),
    account('d', {}),
  ];
  expect(stackSecretsOf(accounts)).toEqual(['aws:secrets/news/a', 'aws:ssm/news/b']);
});

test('secrets that a stack does not have are refused, each by its name', () => {
  const accounts = [account('a', { secret: 'env:A' }), account('b', { cookies: 'file:b.txt' })];
  expect(() => stackSecretsOf(accounts)).toThrow(
    'accounts a: secret, accounts b: cookies: a stack reads secrets from aws:ssm/NAME and aws:secrets/NAME alone',
  );
});
