import type { StrandConfig } from './project.ts';

type Code = Pick<
  StrandConfig,
  | 'accounts'
  | 'extraction'
  | 'router'
  | 'onPage'
  | 'onError'
  | 'challenge'
  | 'onChallenge'
  | 'behave'
  | 'middleware'
  | 'modules'
>;

/** Whether code of the project runs in the workers of a stack: logins, hooks, middleware or modules for media types. */
export const hasOwnCode = ({
  accounts,
  extraction,
  router,
  onPage,
  onError,
  challenge,
  onChallenge,
  behave,
  middleware,
  modules,
}: Code): boolean =>
  [accounts, extraction, router, middleware, modules].some((list) => list !== undefined && list.length > 0) ||
  [onPage, onError, challenge, onChallenge, behave].some((one) => one !== undefined);
