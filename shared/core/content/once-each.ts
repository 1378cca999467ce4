/** Returns `of`, which is asked once for each name: a page often repeats those of its elements. */
export function onceEach<T extends {}>(of: (name: string) => T): (name: string) => T {
  const known = new Map<string, T>();
  return (name) => {
    let value = known.get(name);
    if (value === undefined) {
      value = of(name);
      known.set(name, value);
    }
    return value;
  };
}
