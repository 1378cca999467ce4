import { expect, test } from 'vitest';
import { applyEdits } from '../../mutants/edit.ts';
import { mutantsOf, OPERATORS } from '../../mutants/mutants.ts';

/** Returns a function body after an operator, one line each; all of its mutants. */
function mutated(operator: string, body: string, head = 'async function f(a: number, b: T)'): string[] {
  const text = `${head} { ${body} }`;
  return mutantsOf('shared/made.ts', text)
    .filter((mutant) => mutant.operator === operator)
    .map(({ edits }) => applyEdits(text, edits))
    .map((result) =>
      result.startsWith(`${head} { `) ? result.slice(head.length + 3, result.lastIndexOf(' }')) : result,
    );
}

test.each<[operator: string, body: string, expected: string[]]>([
  ['negate', 'if (a > 1) b();', ['if (!(a > 1)) b();']],
  ['negate', 'if (!a) b();', ['if ((a)) b();']],
  ['force-true', 'if (a > 1) b();', ['if ((a > 1) || true) b();']],
  ['force-false', 'while (a > 1) b();', ['while ((a > 1) && false) b();']],
  ['drop-operand', 'return a ?? 5;', ['return (a);', 'return (5);']],
  ['and-or', 'if (a && b) c();', ['if (((a) || (b))) c();']],
  ['negate-value', 'return a.has(b);', ['return !(a.has(b));']],
  ['boundary', 'return (a ?? 0) < b;', ['return (a ?? 0) <= b;']],
  ['opposite', 'return a >= b;', ['return a <= b;']],
  ['arithmetic', 'return (a ?? 0) - 2;', ['return (a ?? 0) + 2;', 'return (a ?? 0) ;']],
  ['number', 'return 3;', ['return 4;', 'return 2;']],
  ['number', 'return 60_000;', ['return 480000;', 'return 7500;']],
  ['min-max', 'return Math.min(a, 3);', ['return Math.max(a, 3);', 'return (a);', 'return (3);']],
  ['update', 'a += 2;', ['a = 2;', 'a -= 2;']],
  ['drop-await', 'await b(); const c = await d();', ['b(); const c = await d();']],
  ['drop-await', 'try { return await b(); } catch { c(); }', ['try { return b(); } catch { c(); }']],
  [
    'concurrently',
    'for (const x of b) await c(x);',
    ['await Promise.all([...(b)].map(async (x) => { await c(x); }));'],
  ],
  ['drop-statement', 'b(); a = 2; return a;', ['; a = 2; return a;', 'b(); ; return a;']],
  ['loop-once', 'while (a) b();', ['while (a) { b(); break; }']],
  ['swap-steps', 'await b(); await c(); return a;', ['await c(); await b(); return a;']],
  ['swap-steps', 'const x = await b(); await c(x);', []],
  ['postpone-step', 'await b(); c(); await d();', [' c(); await d(); await b();']],
  ['advance-step', 'const x = a; b(); c(); await d(x);', ['const x = a; await d(x); b(); c(); ']],
  ['reverse-loop', 'for (const x of b) c(x);', ['for (const x of [...(b)].reverse()) c(x);']],
  ['length', 'return Array.from({ length: a });', ['return Array.from({ length: (a) - 1 });']],
  ['argument-instead', 'return c(a, b.d);', ['return (a);', 'return (b.d);']],
  ['drop-catch', 'try { b(); } catch { c(); }', ['try { b(); } catch (mutated) { throw mutated; }']],
  ['swallow', 'try { b(); } catch (error) { throw c(error); }', ['try { b(); } catch {}']],
  ['swallow-step', 'await b();', ['try { await b(); } catch {}']],
  ['swallow-step', 'await b().catch(() => {});', []],
  ['drop-finally', 'try { b(); } finally { c(); }', ['try { b(); } finally {}']],
  ['drop-handler', 'b().catch(() => {});', ['b();']],
  ['drop-retry', "return withRetry('x', () => b(), c);", ['return (() => b())();']],
  ['reuse-value', 'const x = b(a); c(x, b(a));', ['const x = b(a); c(x, x);']],
  [
    'stale-time',
    'await b(); return clock.now();',
    ['const mutantNow = clock.now(); await b(); return mutantNow;'],
  ],
  ['stale-time', 'const now = clock.now(); await b(now);', []],
  [
    'weaken-condition',
    "b({ ConditionExpression: 'version = :v AND a < :w' });",
    [
      "b({ ConditionExpression: '(version = :v AND a < :w) OR attribute_exists(pk) OR attribute_not_exists(pk)' });",
      "b({ ConditionExpression: 'version = :v OR a < :w' });",
      "b({ ConditionExpression: 'version = :v AND a <= :w' });",
    ],
  ],
  ['drop-option', "b({ IfNoneMatch: '*', Key: a });", ['b({ ...{}, Key: a });']],
  ['drop-property', 'return { a, b: 1 as T };', ['return { ...{}, b: 1 as T };', 'return { a, ...{} };']],
  ['drop-element', 'return [a, ...b];', ['return [...[], ...b];', 'return [a, ...[]];']],
  ['drop-argument', 'b(a, 2 as T);', ['b(a);']],
  // biome-ignore lint/suspicious/noTemplateCurlyInString: sources
  ['drop-part', 'return `${a}#${b}`;', ['return `#${b}`;', 'return `${a}#`;']],
  ['swap-arguments', 'c(a, b);', ['c(b, a);']],
  ['other-property', 'return c.start + c.end;', ['return c.end + c.end;', 'return c.start + c.start;']],
  ['drop-method', 'return b.filter(c);', ['return b;']],
  ['other-method', 'return b.some(c);', ['return b.every(c);']],
])('%s: %s', (operator, body, expected) => expect(mutated(operator, body)).toEqual(expected));

test.each([
  ['boolean', ['return true;', 'return false;']],
  ['Promise<string[]>', ['return [];']],
  ['void', ['async function f(a: T): void {}']],
  ['Map<string, number> | undefined', ['return undefined;']],
])('a function that gives %s can give %j at once', (type, bodies) => {
  const head = `async function f(a: T): ${type}`;
  expect(mutated('return-at-once', 'return b(a);', head)).toEqual(bodies);
});

test('a first answer is kept for each object that is called and its arguments', () => {
  const [text = ''] = mutated('keep-first', 'const x = await store.load(a); return x;');
  expect(text).toContain('await mutantKept(store, [a], () => store.load(a))');
});

test('each operator has a name of its own', () =>
  expect(new Set(OPERATORS.map(({ name }) => name)).size).toBe(OPERATORS.length));
