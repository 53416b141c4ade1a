/** The random part of the names of files where `withKnownDrafts` is set; a draft ends with `.<this>.tmp`. */
export const DRAFT = '0a1b2c3d-0000-4000-8000-000000000000';

const known = [
  "import crypto from 'node:crypto';",
  "import { syncBuiltinESMExports } from 'node:module';",
  `crypto.randomUUID = () => '${DRAFT}';`,
  'syncBuiltinESMExports();',
  'globalThis.crypto.randomUUID = crypto.randomUUID;',
].join('');

/** Drafts and edited texts have random names: with this in its environment the program takes one that strace can be given. */
export const withKnownDrafts = `NODE_OPTIONS=--import=data:text/javascript,${encodeURIComponent(known)}`;
