/** The parts of undici that are loaded alone: the whole package takes several times as long to load. */
declare module 'undici/lib/dispatcher/agent.js' {
  const agent: typeof import('undici').Agent;
  export default agent;
}

declare module 'undici/lib/core/connect.js' {
  const buildConnector: typeof import('undici').buildConnector;
  export default buildConnector;
}
