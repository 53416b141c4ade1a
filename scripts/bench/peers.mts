import { spawnSync } from 'node:child_process';

/** A command line that others know, where it is installed. */
export interface Peer {
  readonly program: string;
  readonly version: string;
}

/** Programs that do some of the same work, and clients of other services. What takes no `--version` is left out. */
const known = [
  'curl',
  'jq',
  'column',
  'xargs',
  'gh',
  'http',
  'xh',
  'wget',
  'aws',
  'az',
  'doctl',
  'firebase',
  'flyctl',
  'gcloud',
  'glab',
  'heroku',
  'neonctl',
  'netlify',
  'railway',
  'resend',
  'sentry-cli',
  'stripe',
  'supabase',
  'terraform',
  'vercel',
  'wrangler',
];

/** Those of the known programs that are on the PATH and work. */
export function findPeers(): readonly Peer[] {
  return known.flatMap((program) => {
    const { status, stdout } = spawnSync(program, ['--version'], { encoding: 'utf8', input: '' });
    const [version] = /\d+(\.\d+)+/.exec(stdout ?? '') ?? [];
    return status === 0 && version !== undefined ? [{ program, version }] : [];
  });
}
