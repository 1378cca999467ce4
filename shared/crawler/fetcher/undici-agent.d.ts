/**
 * The one module of undici that is needed: the package's own index loads its `fetch`, WebSocket and caches,
 * too.
 */
declare module 'undici/lib/dispatcher/agent.js' {
  import type { Agent } from 'undici';

  const agent: typeof Agent;
  export default agent;
}
