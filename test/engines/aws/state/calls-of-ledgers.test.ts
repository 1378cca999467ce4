/** All calls and results of the modules that keep heads and parts: see `calls-of-ledgers.txt`. */
import { HookState } from '../../../../shared/engines/aws/state/hook-state.ts';
import { createPartStore } from '../../../../shared/engines/aws/state/part-store.ts';
import { StateCommits } from '../../../../shared/engines/aws/state/state-commits.ts';
import { StateValues } from '../../../../shared/engines/aws/state/state-values.ts';
import { replacing } from '../../../../shared/engines/aws/state/tables.ts';
import { itemKey, N, S } from '../../../../shared/engines/aws/table/item.ts';
import { CRAWL, headOf } from '../../../contract/subjects.ts';
import { openGolden } from '../../../golden.ts';
import { describeScenarios, refusalOf, scenario } from '../struck-suite.ts';
import { commitAll, contextOf, ledgersOf } from './state-world.ts';

const bytesOf = (size: number): Uint8Array => Uint8Array.from({ length: size }, (_, i) => (i * 31) % 251);
const hexOf = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');

const put = (key: string, value: string) => ({ key, apply: () => value });
const append = (key: string, text: string) => ({ key, apply: (before?: string) => `${before ?? ''}${text}` });
const remove = (key: string) => ({ key, apply: () => undefined });

describeScenarios(
  [
    scenario({
      name: 'commits heads, and loads them',
      async run(world) {
        const { ledgers, committed } = ledgersOf(world);
        const results: unknown[] = [await ledgers.loadHead(CRAWL, 'a.test')];
        await ledgers.commit(CRAWL, 'a.test', headOf(1, { token: 'one', dueAt: world.engine.clock.now() }));
        await ledgers.commit(CRAWL, 'a.test', headOf(2, { token: 'two', dueAt: 5 }));
        results.push((await ledgers.loadHead(CRAWL, 'a.test'))?.token);
        await ledgers.commit(CRAWL, 'a.test', headOf(3, { token: 'three' }));
        // Carried out before, and the answer was lost.
        await ledgers.commit(CRAWL, 'a.test', headOf(3, { token: 'three' }));
        await ledgers.commit(CRAWL, 'b.test', headOf(1));
        await ledgers.commit(CRAWL, 'b.test', headOf(1));
        results.push(await refusalOf(ledgers.commit(CRAWL, 'a.test', headOf(3, { token: 'other' }))));
        results.push(await refusalOf(ledgers.commit(CRAWL, 'c.test', headOf(2))));
        await ledgers.importHead(CRAWL, 'a.test', headOf(4, { token: 'copy' }));
        await ledgers.importHead(CRAWL, 'd.test', headOf(9, { token: 'copy' }));
        results.push(await refusalOf(ledgers.importHead(CRAWL, 'd.test', headOf(8))));
        return [...results, committed];
      },
    }),
    scenario({
      name: 'commits heads with changes of state',
      async run(world) {
        const { ledgers, committed } = ledgersOf(world);
        await ledgers.commit(CRAWL, 'a.test', headOf(1, { token: 'one' }), [put('k', '"v"')]);
        // It is loaded, so that the difference is known.
        await ledgers.commit(CRAWL, 'a.test', headOf(2, { token: 'two' }), [append('k', '1')]);
        await ledgers.loadHead(CRAWL, 'a.test');
        await ledgers.commit(CRAWL, 'a.test', headOf(3, { token: 'three' }), [remove('k'), put('l', '2')]);
        const refused = await refusalOf(ledgers.commit(CRAWL, 'a.test', headOf(3), [put('m', '1')]));
        const plain = ledgersOf(world, { hasState: false }).ledgers;
        const stateless = await refusalOf(plain.commit(CRAWL, 'z.test', headOf(1), [put('m', '1')]));
        const values = await new HookState(contextOf(world)).readNow(CRAWL);
        return [refused, stateless, committed, [...values.entries()]];
      },
    }),
    scenario({
      name: 'lists hosts that are due, those that are due far ahead too',
      async prepare(world) {
        await commitAll(world);
        await world.cloud.time.advance(5000);
      },
      async run({ engine: { ledgers, clock } }) {
        const now = clock.now();
        return [
          await ledgers.dueHosts(CRAWL, now, 10),
          await ledgers.dueHosts(CRAWL, now, 2),
          await ledgers.dueHosts(CRAWL, now, 10, now + 500_000),
          await ledgers.dueHosts(CRAWL, now + 900_000, 10, now + 1_000_000),
          await ledgers.dueHosts(CRAWL, now - 900_000, 10),
          await ledgers.dueHosts('none', now, 10),
        ];
      },
      readsIndex: true,
      isConcurrent: true,
    }),
    scenario({
      name: 'stores parts, and reads ranges of them',
      async run(world) {
        const parts = createPartStore({ ...contextOf(world), maxRowBytes: 20 });
        const of = [CRAWL, 'a.test'] as const;
        for (const size of [0, 19, 20, 21, 50]) await parts.putPart(...of, `part-${size}`, bytesOf(size));
        // Again, as a turn does that continues one that died.
        for (const size of [20, 21]) await parts.putPart(...of, `part-${size}`, bytesOf(size));
        const refused = [
          await refusalOf(parts.putPart(...of, 'part-20', bytesOf(19))),
          await refusalOf(parts.putPart(...of, 'part-20', bytesOf(21))),
          await refusalOf(parts.putPart(...of, 'part-21', bytesOf(20))),
          await refusalOf(parts.putPart(...of, 'part-21', bytesOf(22))),
          await refusalOf(parts.putPart(...of, 'part-21', bytesOf(21).reverse())),
          await refusalOf(parts.readPart(...of, 'none')),
        ];
        const read: string[] = [];
        for (const name of ['part-19', 'part-50'])
          for (const range of [[], [0, 50], [3], [3, 4], [3, 99], [0, 0], [19, 1], [50, 1], [60]] as const)
            read.push(hexOf(await parts.readPart(...of, name, ...(range as [number, number]))));
        const listed = await parts.listParts(...of);
        await parts.deleteParts(...of, ['part-20', 'part-50', 'part-20', 'none']);
        await parts.deleteParts(...of, []);
        return [refused, read, listed, await parts.listParts(...of)];
      },
    }),
    scenario({
      name: 'commits heads and values together, however many at once',
      async run(world) {
        const open = () => {
          const values = new StateValues();
          return { values, commits: new StateCommits({ ...contextOf(world), crawl: CRAWL, values }) };
        };
        const [one, two] = [open(), open()];
        const head = (host: string, version: number, before = version - 1) => ({
          item: {
            ...itemKey(`${CRAWL} ${host}`, 'head'),
            version: N(version),
            head: S(`${host} ${version}`),
          },
          when: replacing(before),
        });
        const count = (key: string) => ({ key, apply: (json?: string) => String(Number(json ?? 0) + 1) });
        await one.commits.add({ head: undefined, changes: [count('a')] });
        // The first begins at once, and the others share transactions.
        const many = Array.from({ length: 13 }, (_, i) =>
          one.commits.add({ head: head(`h${i}.test`, 1), changes: [count('a'), count(`k${i % 3}`)] }),
        );
        const stale = one.commits.add({ head: head('h0.test', 3, 2), changes: [count('a')] });
        const results: unknown[] = [(await stale).isWritten];
        await Promise.all(many);
        // Another process has changed the value, and knows none of it.
        await two.commits.add({ head: head('h0.test', 2), changes: [count('a')] });
        await one.commits.add({
          head: undefined,
          changes: [count('a'), { key: 'k0', apply: () => undefined }],
        });
        await one.commits.add({ head: head('h1.test', 2), changes: [{ key: 'a', apply: (json) => json }] });
        await one.commits.add({ head: undefined, changes: [] });
        await Promise.all(
          ['h2.test', 'h3.test'].map((host) => one.commits.add({ head: head(host, 2), changes: [] })),
        );
        const wide = Array.from({ length: 50 }, (_, i) => count(`w${i}`));
        await Promise.all([
          one.commits.add({ head: undefined, changes: [count('a')] }),
          one.commits.add({ head: undefined, changes: wide }),
          one.commits.add({
            head: undefined,
            changes: wide.map(({ key, apply }) => ({ key: `${key}x`, apply })),
          }),
        ]);
        const { values } = one;
        return [...results, [...values.entries()].slice(0, 4), values.size, values.chars, two.values.size];
      },
      isTimed: true,
      isConcurrent: true,
      isLong: true,
    }),
    scenario({
      name: 'changes values of hooks, which another process changes too',
      async run(world) {
        const [state, other] = [new HookState(contextOf(world)), new HookState(contextOf(world))];
        const values = async (one: HookState) => [...(await one.read(CRAWL)).entries()];
        await state.change(CRAWL, [put('a', '1'), put('b', '2'), append('a', '!')]);
        const results: unknown[] = [await values(state), await values(other)];
        await other.change(CRAWL, [append('a', '?'), remove('b'), remove('none')]);
        await Promise.all([
          state.change(CRAWL, [append('a', 'x')]),
          state.change(CRAWL, [append('b', 'y')]),
          state.change(CRAWL, [append('b', 'z'), put('c', '3')]),
          state.change(CRAWL, []),
        ]);
        results.push(await values(state), await values(other));
        await world.engine.clock.sleep(5001);
        results.push(await values(other));
        await state.change(CRAWL, [put('c', '3')]);
        await state.change('more', [put('c', '3')]);
        return [...results, [...(await state.readNow(CRAWL)).entries()], (await state.read('more')).size];
      },
      isTimed: true,
      isConcurrent: true,
      // Visits that fail together are each tried by themselves.
      hides: ['TransactWriteItemsCommand'],
    }),
  ],
  openGolden('calls-of-ledgers.txt', import.meta.url),
);
