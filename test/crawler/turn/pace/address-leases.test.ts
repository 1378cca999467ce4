/** The leases of addresses as a worker keeps them: when it asks the store, what it remembers, and what it gives back. */
import { describe, expect, test } from 'vitest';
import { type AddressLease, LEASE_MS, leaseName } from '../../../../shared/core/frontier/address-lease.ts';
import { StaleTurn } from '../../../../shared/crawler/ports/stale-turn.ts';
import type { DomainFacts, DomainHeads } from '../../../../shared/crawler/turn/links/domain-heads.ts';
import { createAddressLeases } from '../../../../shared/crawler/turn/pace/address-leases.ts';

const T0 = 1_000_000;
const ADDRESS = '192.0.2.1';
const TERMS = { requestMs: 5000, delayMs: 250, isIdle: true };
const OF_ANOTHER: AddressLease = { owner: 'other', beginUntil: T0 + 9000, until: T0 + 14_000 };

function setUp(stored: Readonly<Record<string, AddressLease>> = {}) {
  const state = { now: T0 };
  const heads = new Map<string, DomainFacts>(
    Object.entries(stored).map(([name, lease]) => [`c ${name}`, { hosts: 'kept', granted: {}, lease }]),
  );
  const asked: { name: string; tries: number | undefined }[] = [];
  const trouble: { error: Error | undefined } = { error: undefined };
  const domains: Pick<DomainHeads, 'change'> = {
    async change(crawl, name, change, tries) {
      asked.push({ name: `${crawl} ${name}`, tries });
      await new Promise((resolve) => setImmediate(resolve));
      if (trouble.error) throw trouble.error;
      const key = `${crawl} ${name}`;
      const changed = change(heads.get(key) ?? { hosts: '', granted: {} });
      if (changed.state) heads.set(key, changed.state);
      return changed.result;
    },
  };
  const leases = createAddressLeases(domains as DomainHeads, { now: () => state.now }, () => 'me');
  const claim = (address = ADDRESS, crawl = 'c') => leases.claim(crawl, address, TERMS);
  const leaseOf = (address = ADDRESS, crawl = 'c') => heads.get(`${crawl} ${leaseName(address)}`)?.lease;
  return { leases, claim, leaseOf, asked, heads, state, trouble };
}
const withLease = (lease: AddressLease) => setUp({ [leaseName(ADDRESS)]: lease });

test('where no other worker crawls each address may be asked, and nothing is stored', async () => {
  const leases = createAddressLeases({} as DomainHeads, { now: () => T0 }, undefined);
  expect(await leases.claim('c', ADDRESS, TERMS)).toBeUndefined();
  leases.enter('c', ADDRESS);
  await expect(leases.exit('c', ADDRESS, 250)).resolves.toBeUndefined();
});

describe('a free address', () => {
  test('is this worker’s at once, for a whole lease, in which the store is not asked again', async () => {
    const { claim, leaseOf, asked, state } = setUp();
    expect(await claim()).toBeUndefined();
    expect(leaseOf()).toEqual({ owner: 'me', beginUntil: T0 + LEASE_MS, until: T0 + LEASE_MS + 5000 });
    state.now = T0 + LEASE_MS - 1;
    expect(await claim()).toBeUndefined();
    expect(asked).toEqual([{ name: `c ${leaseName(ADDRESS)}`, tries: 4 }]);
    state.now = T0 + LEASE_MS;
    expect(await claim()).toBeUndefined();
    expect(asked).toHaveLength(2);
    expect(leaseOf()?.beginUntil).toBe(T0 + 2 * LEASE_MS);
  });

  test('is claimed once by turns that need it at the same time', async () => {
    const { claim, asked } = setUp();
    expect(await Promise.all([claim(), claim(), claim()])).toEqual([undefined, undefined, undefined]);
    expect(asked).toHaveLength(1);
  });

  test('is another one’s business: of another crawl, or another address', async () => {
    const { claim, asked, leaseOf } = setUp();
    await Promise.all([claim(), claim('192.0.2.2'), claim(ADDRESS, 'd')]);
    expect(asked.map(({ name }) => name)).toEqual(['c #192.0.2.1', 'c #192.0.2.2', 'd #192.0.2.1']);
    expect(leaseOf('192.0.2.2')?.owner).toBe('me');
    expect(leaseOf(ADDRESS, 'd')?.owner).toBe('me');
  });

  test('keeps what else its head holds', async () => {
    const { claim, heads } = withLease({ owner: '', beginUntil: T0 - 1, until: T0 - 1 });
    await claim();
    expect([...heads.values()][0]).toMatchObject({ hosts: 'kept', lease: { owner: 'me' } });
  });
});

describe('an address that this worker has already', () => {
  const own: AddressLease = { owner: 'me', beginUntil: T0 + 9000, until: T0 + 14_000 };

  test('is its own until that lease ends, as it is stored', async () => {
    const { claim, asked, state, leaseOf } = withLease(own);
    expect(await claim()).toBeUndefined();
    expect(leaseOf()).toEqual(own);
    state.now = T0 + 8999;
    await claim();
    expect(asked).toHaveLength(1);
    state.now = T0 + 9000;
    await claim();
    expect(asked).toHaveLength(2);
  });

  test('lasts longer if its request may take longer, and no longer than that is it remembered', async () => {
    const { claim, leaseOf, asked, state } = withLease({ ...own, until: T0 + 9100 });
    expect(await claim()).toBeUndefined();
    expect(leaseOf()).toEqual(own);
    state.now = T0 + 9000;
    await claim();
    expect(asked).toHaveLength(2);
  });
});

describe('an address of another worker', () => {
  test('is asked for again when it should be free, and until then the store is not asked', async () => {
    const { claim, asked, state, leaseOf } = withLease(OF_ANOTHER);
    const again = T0 + 9250;
    expect(await claim()).toBe(again);
    expect(leaseOf()).toEqual({ ...OF_ANOTHER, waiting: ['me'] });
    state.now = again - 1;
    expect(await claim()).toBe(again);
    expect(asked).toHaveLength(1);
    state.now = T0 + 14_000;
    expect(await claim()).toBeUndefined();
    expect(asked).toHaveLength(2);
    expect(leaseOf()?.owner).toBe('me');
  });

  test('is not given back', async () => {
    const { leases, claim, asked } = withLease(OF_ANOTHER);
    leases.enter('c', ADDRESS);
    await claim();
    await leases.exit('c', ADDRESS, 250);
    expect(asked).toHaveLength(1);
  });
});

describe('a store that others write to at the same time', () => {
  test('is asked again two seconds later, and nothing is remembered', async () => {
    const { claim, asked, trouble, state } = setUp();
    trouble.error = new StaleTurn('others were first');
    expect(await claim()).toBe(T0 + 2000);
    trouble.error = undefined;
    state.now = T0 + 1;
    expect(await claim()).toBeUndefined();
    expect(asked).toHaveLength(2);
  });

  test('that fails fails each turn that waits for it, and the next one asks again', async () => {
    const { claim, asked, trouble } = setUp();
    trouble.error = new Error('no table');
    const both = await Promise.allSettled([claim(), claim()]);
    expect(both.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    expect(asked).toHaveLength(1);
    trouble.error = undefined;
    expect(await claim()).toBeUndefined();
    expect(asked).toHaveLength(2);
  });
});

describe('a worker whose turns leave an address', () => {
  test('gives it back with the last of them', async () => {
    const { leases, claim, leaseOf, asked, state } = setUp();
    leases.enter('c', ADDRESS);
    leases.enter('c', ADDRESS);
    leases.enter('c', '192.0.2.2');
    await claim();
    state.now = T0 + 1000;
    await leases.exit('c', ADDRESS, 250);
    expect(leaseOf()?.owner).toBe('me');
    expect(asked).toHaveLength(1);
    await leases.exit('c', ADDRESS, 250);
    expect(leaseOf()).toEqual({ owner: '', beginUntil: T0 + 1000, until: T0 + 1250 });
    expect(asked.at(-1)).toEqual({ name: `c ${leaseName(ADDRESS)}`, tries: 4 });
    // It is not this worker's any more.
    leases.enter('c', ADDRESS);
    expect(await claim()).toBe(T0 + 1250);
    expect(asked).toHaveLength(3);
  });

  test('counts its turns from none after that', async () => {
    const { leases, claim, leaseOf, state } = setUp();
    for (let round = 0; round < 3; round++) {
      leases.enter('c', ADDRESS);
      leases.enter('c', ADDRESS);
      await claim();
      expect(leaseOf()?.owner).toBe('me');
      await leases.exit('c', ADDRESS, 0);
      expect(leaseOf()?.owner).toBe('me');
      await leases.exit('c', ADDRESS, 0);
      expect(leaseOf()?.owner).toBe('');
      state.now += 10;
    }
  });

  test('gives nothing back that it never claimed', async () => {
    const { leases, asked } = setUp();
    leases.enter('c', ADDRESS);
    await leases.exit('c', ADDRESS, 250);
    expect(asked).toEqual([]);
  });

  test('leaves the lease to end by itself if others write at the same time; another error is thrown', async () => {
    for (const [error, isThrown] of [
      [new StaleTurn('others were first'), false],
      [new Error('no table'), true],
    ] as const) {
      const { leases, claim, trouble } = setUp();
      leases.enter('c', ADDRESS);
      await claim();
      trouble.error = error;
      const left = leases.exit('c', ADDRESS, 250);
      if (isThrown) await expect(left).rejects.toThrow('no table');
      else await expect(left).resolves.toBeUndefined();
    }
  });

  test('has it read again by a turn that comes meanwhile', async () => {
    const { leases, claim, asked } = setUp();
    leases.enter('c', ADDRESS);
    await claim();
    const left = leases.exit('c', ADDRESS, 250);
    leases.enter('c', ADDRESS);
    const again = claim();
    await left;
    expect(await again).toBe(T0 + 250);
    expect(asked).toHaveLength(3);
  });
});
