/** The random part of file names with `withKnownDrafts`; a draft ends with `.<this>.tmp`. */
export const DRAFT = '0a1b2c3d-0000-4000-8000-000000000000';

/** The end of the name of conf's drafts with `withKnownDrafts`. */
export const CONF_DRAFT = 'tmp-00000000007fffff';

const known = [
  "import crypto from 'node:crypto';",
  "import { syncBuiltinESMExports } from 'node:module';",
  `crypto.randomUUID = () => '${DRAFT}';`,
  'syncBuiltinESMExports();',
  'globalThis.crypto.randomUUID = crypto.randomUUID;',
  'Math.random = () => 0.5; Date.now = () => 1e12;',
].join('');

/** Gives drafts and edited texts a fixed name instead of a random one, so that strace can select them. */
export const withKnownDrafts = `NODE_OPTIONS=--import=data:text/javascript,${encodeURIComponent(known)}`;
