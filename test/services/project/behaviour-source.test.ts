import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import { behaviourSource } from '../../../shared/services/project/behaviour-source.ts';

const OF_METHODS = {
  behave: () => 1,
  function: () => 1,
  method() {
    return 1;
  },
  *generator() {
    yield 1;
  },
  async *'async generator'() {
    yield 1;
  },
};

test.each(Object.entries(OF_METHODS))('a function is given elsewhere by its source: %s', (_, behave) => {
  const given = runInNewContext(behaviourSource(behave) as string)();
  const value = typeof given === 'number' ? { value: given } : given.next();
  return expect(Promise.resolve(value)).resolves.toMatchObject({ value: 1 });
});

test('a function that was run by esbuild without a bundle is given with its helper', () => {
  const behave = new Function('return () => { const inner = __name(() => 1, "inner"); return inner(); }')();
  expect(runInNewContext(behaviourSource(behave) as string)()).toBe(1);
});

test.each([
  ['a bound function', OF_METHODS.behave.bind(undefined)],
  ['one of the language', Math.max],
  ['text', '() => 1'],
])('%s has no source', (_, behave) => {
  expect(behaviourSource(behave)).toBeUndefined();
});
