import { expect, test } from 'vitest';
import { placesIn } from '../../functions/memory-places.ts';

const MB = 2 ** 20;
const using = (mb: number) => ({ memoryMb: 1000, usedBytes: () => mb * MB });

test('a worker may serve all the hosts of its option while a fifth of its memory is free', () => {
  expect(placesIn(using(799), { hosts: 150, maxHosts: 300, minRoom: 10 })).toBe(300);
});

test('a worker whose memory is nearly full takes on no more than it has', () => {
  expect(placesIn(using(800), { hosts: 150, maxHosts: 300, minRoom: 10 })).toBe(150);
  expect(placesIn(using(2000), { hosts: 299, maxHosts: 300, minRoom: 10 })).toBe(299);
});

test('a worker that has no hosts receives some, whatever memory it uses', () => {
  expect(placesIn(using(900), { hosts: 0, maxHosts: 300, minRoom: 10 })).toBe(10);
  expect(placesIn(using(900), { hosts: 0, maxHosts: 2, minRoom: 10 })).toBe(2);
});

test('the use of memory is asked with the hosts that are served', () => {
  const memory = { memoryMb: 1000, usedBytes: (hosts: number) => hosts * 10 * MB };
  expect(placesIn(memory, { hosts: 79, maxHosts: 300, minRoom: 10 })).toBe(300);
  expect(placesIn(memory, { hosts: 80, maxHosts: 300, minRoom: 10 })).toBe(80);
});
