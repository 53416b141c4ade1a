/** The parts of undici for the minimal loop; the whole package takes several times as long to load. */
declare module 'undici/lib/dispatcher/pool.js' {
  const pool: typeof import('undici').Pool;
  export default pool;
}

declare module 'undici/lib/api/api-request.js' {
  import type { Dispatcher } from 'undici';

  /** The implementation of `dispatcher.request`, which the whole package sets. */
  function request(this: Dispatcher, options: Dispatcher.RequestOptions): Promise<Dispatcher.ResponseData>;
  export default request;
}
