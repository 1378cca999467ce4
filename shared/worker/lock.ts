/** Gives the lock to one after the other, in the order asked for. What it resolves to frees it; safe to call twice. */
export type Lock = () => Promise<() => void>;

export function createLock(): Lock {
  let last: Promise<void> = Promise.resolve();
  return async () => {
    let free = () => {};
    const held = new Promise<void>((resolve) => {
      free = resolve;
    });
    const before = last;
    last = before.then(() => held);
    await before;
    return free;
  };
}
