/**
 * The modules of undici that are needed: the package's own index loads its `fetch` and caches, too.
 */
declare module 'undici/lib/dispatcher/agent.js' {
  import type { Agent } from 'undici';

  const agent: typeof Agent;
  export default agent;
}

declare module 'undici/lib/core/connect.js' {
  import type { buildConnector } from 'undici';

  const build: typeof buildConnector;
  export default build;
}

declare module 'undici/lib/web/websocket/websocket.js' {
  export { WebSocket } from 'undici';
}
