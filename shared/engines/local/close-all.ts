/** Calls all of `closings`, one after the other, also after one that fails; then throws what failed first. */
export async function closeAll(closings: readonly (() => unknown)[]): Promise<void> {
  let failure: { readonly error: unknown } | undefined;
  for (const close of closings) {
    try {
      await close();
    } catch (error) {
      failure ??= { error };
    }
  }
  if (failure) throw failure.error;
}
