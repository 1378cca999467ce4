import type { StrandConfig } from './project.ts';

type Code = Pick<
  StrandConfig,
  'extraction' | 'router' | 'onPage' | 'onError' | 'challenge' | 'onChallenge' | 'middleware' | 'modules'
>;

/** Whether code of the project runs in the workers of a stack: hooks, middleware or modules for media types. */
export const hasOwnCode = ({
  extraction,
  router,
  onPage,
  onError,
  challenge,
  onChallenge,
  middleware,
  modules,
}: Code): boolean =>
  [extraction, router, middleware, modules].some((list) => list !== undefined && list.length > 0) ||
  [onPage, onError, challenge, onChallenge].some((one) => one !== undefined);
