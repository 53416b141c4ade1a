/** The parts of undici that a bare loop needs: the whole package takes several times as long to load. */
declare module 'undici/lib/dispatcher/pool.js' {
  const pool: typeof import('undici').Pool;
  export default pool;
}

declare module 'undici/lib/api/api-request.js' {
  import type { Dispatcher } from 'undici';

  /** What `dispatcher.request` is once the whole package is loaded. */
  function request(this: Dispatcher, options: Dispatcher.RequestOptions): Promise<Dispatcher.ResponseData>;
  export default request;
}
