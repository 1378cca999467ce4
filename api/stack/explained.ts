/** Calls whose errors say what to do. */
import type { StackConnection } from './connect-stack.ts';

type Explaining = Pick<StackConnection, 'explained'>;

export async function* explainedAll<T>(
  { explained }: Explaining,
  values: AsyncIterable<T>,
): AsyncGenerator<T, void, undefined> {
  try {
    yield* values;
  } catch (error) {
    throw explained(error);
  }
}

export const explainedOne = <T>({ explained }: Explaining, value: Promise<T>): Promise<T> =>
  value.catch((error: unknown) => {
    throw explained(error);
  });
