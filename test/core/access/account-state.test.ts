import { expect, test } from 'vitest';
import {
  type AccountLimits,
  type AccountState,
  afterFailure,
  afterLogin,
  afterStop,
  isNeverInTime,
  locked,
  NEW_ACCOUNT,
  signedOut,
  unlocked,
  useOf,
  withLease,
  withPage,
} from '../../../shared/core/access/account-state.ts';

const T0 = 1_700_000_000_000;
const HOUR = 3_600_000;
const LIMITS: AccountLimits = { pagesPerSession: 3, pagesPerHour: 5, loginsPerHour: 2, restMs: 60_000 };

const login = (state: AccountState, at: number) =>
  afterLogin(withLease(state, 'me', at, at + 60_000), 'http://a.test/');
const pages = (state: AccountState, count: number, at: number): AccountState =>
  Array.from({ length: count }).reduce<AccountState>((before) => withPage(before, at), state);

test('an account signs in, makes the requests of its session, and signs in again', () => {
  expect(useOf(NEW_ACCOUNT, LIMITS, T0)).toEqual({ kind: 'login' });
  const state = login(NEW_ACCOUNT, T0);
  expect(useOf(state, LIMITS, T0)).toEqual({ kind: 'use' });
  expect(useOf(pages(state, 2, T0), LIMITS, T0)).toEqual({ kind: 'use' });
  expect(useOf(pages(state, 3, T0), LIMITS, T0)).toEqual({ kind: 'login' });
  expect(useOf(signedOut(state), LIMITS, T0)).toEqual({ kind: 'login' });
});

test('no worker signs in while another one does, until its lease has ended', () => {
  const state = withLease(NEW_ACCOUNT, 'other', T0, T0 + 60_000);
  expect(useOf(state, LIMITS, T0 + 1)).toEqual({ kind: 'wait', until: T0 + 5001 });
  expect(useOf(state, LIMITS, T0 + 58_000)).toEqual({ kind: 'wait', until: T0 + 60_000 });
  expect(useOf(state, LIMITS, T0 + 60_000)).toEqual({ kind: 'login' });
});

test('it rests when it has had its requests of an hour, and goes on with the next one', () => {
  const state = pages(login(pages(login(NEW_ACCOUNT, T0), 3, T0 + 5), T0 + 10), 2, T0 + 10);
  expect(useOf(state, LIMITS, T0 + 20)).toEqual({ kind: 'wait', until: T0 + 5 + HOUR });
  expect(useOf(state, LIMITS, T0 + 5 + HOUR)).toEqual({ kind: 'use' });
  expect(withPage(state, T0 + 5 + HOUR)).toMatchObject({ hourPages: 1, hourAt: T0 + 5 + HOUR, pages: 6 });
});

test('it rests when it has had its logins of an hour', () => {
  const state = signedOut(login(login(NEW_ACCOUNT, T0), T0 + 10));
  expect(useOf(state, LIMITS, T0 + 20)).toEqual({ kind: 'wait', until: T0 + HOUR });
  expect(useOf(state, LIMITS, T0 + HOUR)).toEqual({ kind: 'login' });
});

test('it rests after each failed login twice as long, and is locked after the third', () => {
  let state: AccountState = NEW_ACCOUNT;
  const limits = { ...LIMITS, loginsPerHour: 100 };
  for (const ms of [60_000, 120_000]) {
    state = afterFailure(withLease(state, 'me', T0, T0 + 1), limits, T0, 'wrong');
    expect(useOf(state, limits, T0)).toEqual({ kind: 'wait', until: T0 + ms });
    expect(useOf(state, limits, T0 + ms)).toEqual({ kind: 'login' });
  }
  state = afterFailure(state, limits, T0, 'wrong');
  expect(useOf(state, limits, T0 + 100 * HOUR)).toEqual({ kind: 'locked' });
  expect(state).toMatchObject({ failures: 3, failed: 3, failure: 'wrong' });
  expect(useOf(unlocked(state), limits, T0)).toEqual({ kind: 'login' });
  expect(unlocked(state)).toMatchObject({ failures: 3, failed: 0 });
});

test('a login that succeeds forgives failures; one that was given up does not count', () => {
  const failed = afterFailure(NEW_ACCOUNT, LIMITS, T0, 'wrong');
  expect(login(failed, T0)).toMatchObject({
    failures: 1,
    failed: 0,
    failure: undefined,
    restUntil: undefined,
  });
  const given = afterStop(withLease(failed, 'me', T0, T0 + 60_000), { isSent: false, isCutShort: false });
  expect(given).toMatchObject({ loginsAt: [], lease: undefined, failed: 1 });
});

test('a login that was given up counts within the hour if the site may have had the password', () => {
  const stop = (state: AccountState, isSent: boolean) =>
    afterStop(withLease(state, 'me', T0, T0 + 60_000), { isSent, isCutShort: false });
  const sent = stop(stop(stop(NEW_ACCOUNT, true), false), true);
  expect(sent.loginsAt).toEqual([T0, T0]);
  expect(useOf(sent, LIMITS, T0 + 1)).toEqual({ kind: 'wait', until: T0 + HOUR });
});

test('four visits may be too short for a login', () => {
  const cutShort = (state: AccountState) => afterStop(state, { isSent: false, isCutShort: true });
  const three = cutShort(cutShort(cutShort(NEW_ACCOUNT)));
  expect(isNeverInTime(three)).toBe(false);
  expect(isNeverInTime(cutShort(three))).toBe(true);
  expect(isNeverInTime(cutShort(login(three, T0)))).toBe(false);
  expect(isNeverInTime(cutShort(unlocked(three)))).toBe(false);
});

test('an account that cannot sign in waits for the operator', () => {
  const state = locked({ ...NEW_ACCOUNT, isSignedIn: true }, 'signed out');
  expect(useOf(state, LIMITS, T0)).toEqual({ kind: 'locked' });
});
