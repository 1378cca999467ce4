import { expect, test } from 'vitest';
import { createTally, type Used } from '../../../shared/crawler/crawl-state/tally.ts';

const used = (pages: number, bytes: number): Used => ({ pages, bytes, activeMs: 0 });

test('pages and bytes add up to what the crawl had used before', () => {
  const tally = createTally(used(10, 1000));
  expect(tally.reserve(100)).toBe(true);
  tally.settle(true);
  tally.receive(50);
  expect([tally.pages(), tally.bytes()]).toEqual([11, 1050]);
  tally.reserve(100);
  tally.settle(false);
  expect(tally.pages()).toBe(11);
});

test('no more pages are reserved than the most, those reserved before counted', () => {
  const tally = createTally(used(1, 0));
  expect([tally.reserve(3), tally.reserve(3), tally.reserve(3)]).toEqual([true, true, false]);
  tally.settle(false);
  expect(tally.reserve(3)).toBe(true);
  tally.settle(true);
  tally.settle(true);
  expect([tally.pages(), tally.reserve(3), tally.reserve(4)]).toEqual([3, false, true]);
});

test('what is given back is not used', () => {
  const tally = createTally(used(1, 10));
  tally.reserve(9);
  tally.settle(true);
  tally.receive(7);
  tally.giveBack(1, 7);
  expect([tally.pages(), tally.bytes()]).toEqual([1, 10]);
});

test('only what was committed counts finally', () => {
  const tally = createTally(used(1, 10));
  tally.reserve(9);
  tally.settle(true);
  tally.receive(7);
  expect(tally.committed()).toEqual({ pages: 1, bytes: 10 });
  tally.commit(1, 7, tally.reads());
  expect(tally.committed()).toEqual({ pages: 2, bytes: 17 });
  expect([tally.pages(), tally.bytes()]).toEqual([2, 17]);
});

test('what all processes have used holds the commits of this one up to then, and nothing of it counts twice', async () => {
  const tally = createTally(used(0, 0));
  for (let i = 0; i < 3; i++) {
    tally.reserve(99);
    tally.settle(true);
    tally.receive(10);
  }
  tally.commit(1, 10, tally.reads());
  tally.commit(1, 10, tally.reads());
  expect(await tally.refresh(async () => used(12, 120))).toEqual(used(12, 120));
  // Two of the twelve are ours; the third one is not committed.
  expect([tally.pages(), tally.bytes()]).toEqual([13, 130]);
  expect(tally.committed()).toEqual({ pages: 12, bytes: 120 });
  tally.commit(1, 10, tally.reads());
  expect(tally.committed()).toEqual({ pages: 13, bytes: 130 });
  await tally.refresh(async () => used(13, 130));
  expect([tally.pages(), tally.bytes(), tally.committed()]).toEqual([13, 130, { pages: 13, bytes: 130 }]);
});

test('what is committed during the read may be in it or not, so it does not count finally', async () => {
  const tally = createTally(used(0, 0));
  tally.reserve(99);
  tally.settle(true);
  tally.receive(10);
  await tally.refresh(async () => {
    tally.commit(1, 10, tally.reads());
    return used(1, 10);
  });
  expect(tally.committed()).toEqual({ pages: 1, bytes: 10 });
  expect([tally.pages(), tally.bytes()]).toEqual([2, 20]);
  await tally.refresh(async () => used(1, 10));
  expect([tally.pages(), tally.bytes(), tally.committed()]).toEqual([1, 10, { pages: 1, bytes: 10 }]);
});

test('what was stored before a read and is known to be committed only after it does not count finally', async () => {
  const tally = createTally(used(0, 0));
  tally.reserve(99);
  tally.settle(true);
  tally.receive(10);
  const readsBefore = tally.reads();
  // Stored by now: the totals of all have it.
  await tally.refresh(async () => used(1, 10));
  tally.commit(1, 10, readsBefore);
  expect([tally.committed(), tally.isInDoubt()]).toEqual([{ pages: 1, bytes: 10 }, true]);
  await tally.refresh(async () => used(1, 10));
  expect([tally.committed(), tally.isInDoubt()]).toEqual([{ pages: 1, bytes: 10 }, false]);
  expect([tally.pages(), tally.bytes()]).toEqual([1, 10]);
});

test('all that is committed after a read began is in doubt until the next read, commit by commit', async () => {
  const tally = createTally(used(0, 0));
  const committed = () => Object.values(tally.committed());
  for (const [pages, bytes] of [
    [2, 10],
    [3, 100],
    [0, 1000],
  ] as const)
    tally.commit(pages, bytes, tally.reads() - 1);
  expect([committed(), tally.isInDoubt()]).toEqual([[0, 0], true]);
  tally.commit(1, 5, tally.reads());
  expect(committed()).toEqual([1, 5]);
  await tally.refresh(async () => {
    tally.commit(4, 7, tally.reads());
    tally.commit(0, 1, tally.reads());
    return used(6, 1115);
  });
  // It may have the commits made meanwhile, or not.
  expect([committed(), tally.isInDoubt(), tally.reads()]).toEqual([[6, 1115], true, 1]);
  await tally.refresh(async () => used(10, 1123));
  expect([committed(), tally.isInDoubt(), tally.reads()]).toEqual([[10, 1123], false, 2]);
  tally.commit(0, 3, 1);
  expect([committed(), tally.isInDoubt()]).toEqual([[10, 1123], true]);
});
