import { expect, test } from 'vitest';
import { refuseMissingVariables } from '../../../shared/services/accounts/missing-variables.ts';

const ACCOUNT = { name: 'ann', hosts: ['*.example.org'], signedIn: { text: 'Hello' }, login() {} };
const SEEDS = ['https://a.example.net/', 'https://members.example.org/'];

test.each([
  [{ secret: 'env:ANN' }, SEEDS, {}, /^The account ann reads env:ANN, and this variable is not set/],
  [{ cookies: 'env:JAR' }, SEEDS, { ANN: 'x' }, /env:JAR/],
  [{ secret: 'env:ANN' }, SEEDS, { ANN: '' }, undefined],
  [{ secret: 'file:ann.json' }, SEEDS, {}, undefined],
  [{}, SEEDS, {}, undefined],
  // The account of another site than the crawl begins with.
  [{ secret: 'env:ANN' }, SEEDS.slice(0, 1), {}, undefined],
])(
  'an account with %j of seeds %j is refused if its variable is not in %j',
  (own, seeds, environment, message) => {
    const refused = () => refuseMissingVariables([{ ...ACCOUNT, ...own }], seeds, environment);
    if (message === undefined) refused();
    else expect(refused).toThrow(message);
  },
);
