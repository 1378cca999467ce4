/**
 * The reason phrases of HTTP status codes: `404` is `Not Found`. Not by `import ... from 'node:http'`: that
 * evaluates everything the module exports, Node's own copy of undici among it, which takes 25 ms and 15 MB in
 * each thread.
 */
export const { STATUS_CODES } = process.getBuiltinModule('node:http');
