import { expect, test } from 'vitest';
import { withOwnCookies } from '../../../shared/crawler/fetcher/request-headers.ts';

test.each([
  [undefined, { Cookie: 'a=1' }, { Cookie: 'a=1' }],
  [{ Cookie: 'a=1' }, undefined, undefined],
  [{ Cookie: 'a=1' }, { Accept: '*/*' }, { Accept: '*/*' }],
  [{ cookie: 'a=1; b=2' }, { Cookie: 'c=3' }, { Cookie: 'a=1; b=2; c=3' }],
  [
    { Cookie: 'a=1; b=2' },
    { cookie: 'b=3; d=x=y', Accept: '*/*' },
    { cookie: 'a=1; b=3; d=x=y', Accept: '*/*' },
  ],
  [{ Cookie: 'a=1' }, { Cookie: 'a=2' }, { Cookie: 'a=2' }],
])('with the cookies of the operator %j, a request with %j has %j', (own, headers, sent) => {
  expect(withOwnCookies(own, headers)).toEqual(sent);
});
