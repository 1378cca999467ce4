/**
 * Returns an object with the methods of `instance`, bound to it. A port may be spread (`{ ...queue, receive }`),
 * and its methods passed on one by one (`registry.onCommit`). Methods of a class allow neither. Fields are
 * left out; private methods are `#private`, which nobody sees.
 */
export function boundMethods<Methods extends object>(instance: Methods): Bound<Methods> {
  const bound: Record<string, unknown> = {};
  for (const [name, method] of methodsOf(Object.getPrototypeOf(instance)))
    bound[name] = method.bind(instance);
  return bound as Bound<Methods>;
}

type Method = (...args: never) => unknown;

/** By class: a process makes many instances of the same few. */
const known = new WeakMap<object, readonly (readonly [name: string, method: Method])[]>();

function methodsOf(prototype: object): readonly (readonly [name: string, method: Method])[] {
  let methods = known.get(prototype);
  if (methods === undefined) {
    const all = Object.entries(Object.getOwnPropertyDescriptors(prototype));
    methods = all
      .filter(([name]) => name !== 'constructor')
      .map(([name, { value }]) => [name, value] as const);
    known.set(prototype, methods);
  }
  return methods;
}

/** Mapped, as the compiler takes the methods of a class for properties that a spread does not copy. */
type Bound<Methods> = { readonly [Name in keyof Methods]: Methods[Name] };
