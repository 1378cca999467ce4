/** Values that code of a project may throw, as expressions of JavaScript. */
export const THROWN: Readonly<Record<string, string>> = {
  undefined: 'undefined',
  null: 'null',
  'a number': '-0',
  'a bigint': '12n',
  'an empty text': `''`,
  'a symbol': `Symbol('lost')`,
  'a function': '() => {}',
  'an object': '({ code: 12 })',
  'an object without a prototype': 'Object.create(null)',
  'an object whose toString throws':
    '({ toString() { throw new Error(1) }, [Symbol.toPrimitive]() { throw 1 } })',
  'an array that has itself': '(() => { const list = []; list.push(list); return list; })()',
  'a promise': 'Promise.resolve(1)',
  'a thenable': '({ then(done) { done(1) } })',
  'a thenable that throws': '({ get then() { throw new Error("then") } })',
  'an error without a message': 'new Error()',
  'an error whose message is an object': `Object.assign(new Error('API failed'), { message: { code: 12 } })`,
  'an error whose message is a symbol': `Object.assign(new Error('x'), { message: Symbol('lost') })`,
  'an error whose message throws': `Object.defineProperty(new Error('x'), 'message', { get() { throw new Error(1) } })`,
  'an error whose name, stack and cause throw': `Object.defineProperties(new Error('x'), Object.fromEntries(
    ['name', 'stack', 'cause', 'code', 'toString'].map((key) => [key, { get() { throw new Error(key) } }])))`,
  'an error whose stack is a list': `Object.assign(new Error('x'), { stack: ['at a.js:1'] })`,
  'an error that is its own cause': `(() => { const error = new Error('x'); return Object.assign(error, { cause: error }); })()`,
  'a frozen error': `Object.freeze(new Error('x'))`,
  'an error with a long message': `new Error('\\u{1f600}'.repeat(1e6) + '\\ud83d')`,
  'an error with a lone surrogate': `new Error('a\\ud83d')`,
  'an aggregate error': `new AggregateError([1, Symbol('x')])`,
  'an error of another realm': `(await import('node:vm')).runInNewContext('new Error("there")')`,
  'an abort': 'AbortSignal.abort().reason',
  'a proxy whose handler throws': `new Proxy(new Error('x'), new Proxy({}, { get(_, trap) { return () => { throw new Error(trap) } } }))`,
  'a revoked proxy':
    '(() => { const { proxy, revoke } = Proxy.revocable({}, {}); revoke(); return proxy; })()',
  'an error that looks like one of the disk': `Object.assign(new Error('x'), { code: 'ENOSPC', syscall: 'write' })`,
};

/** The values by their names. */
export async function thrownValues(): Promise<readonly (readonly [name: string, make: () => unknown])[]> {
  const parts = Object.entries(THROWN).map(
    ([name, code]) => `${JSON.stringify(name)}: async () => [${code}]`,
  );
  const makers: Record<string, () => Promise<[unknown]>> = await import(
    `data:text/javascript,${encodeURIComponent(`export default { ${parts.join(',\n')} };`)}`
  ).then((module) => module.default);
  const made = await Promise.all(Object.values(makers).map((make) => make()));
  return Object.keys(makers).map((name, i) => [name, () => made[i]![0]]);
}
