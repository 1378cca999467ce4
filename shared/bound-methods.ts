/**
 * Returns an object with the methods of `instance`, bound to it. A port may be spread (`{ ...queue, receive }`),
 * and its methods passed on one by one (`registry.onCommit`). Methods of a class allow neither. Fields are
 * left out; private methods are `#private`, which nobody sees.
 */
export function boundMethods<Methods extends object>(instance: Methods): Bound<Methods> {
  const methods = Object.entries(Object.getOwnPropertyDescriptors(Object.getPrototypeOf(instance)));
  const own = methods.filter(([name]) => name !== 'constructor');
  return Object.fromEntries(own.map(([name, { value }]) => [name, value.bind(instance)])) as Bound<Methods>;
}

/** Mapped, as the compiler takes the methods of a class for properties that a spread does not copy. */
type Bound<Methods> = { readonly [Name in keyof Methods]: Methods[Name] };
