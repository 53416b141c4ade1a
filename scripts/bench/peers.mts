import { spawnSync } from 'node:child_process';

/** Another installed command line program. */
export interface Peer {
  readonly program: string;
  readonly version: string;
}

/** Programs for some of the same tasks, and clients of other services. Programs without `--version` are skipped. */
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

/** The known programs that are on the PATH and work. */
export function findPeers(): readonly Peer[] {
  return known.flatMap((program) => {
    const { status, stdout } = spawnSync(program, ['--version'], { encoding: 'utf8', input: '' });
    const [version] = /\d+(\.\d+)+/.exec(stdout ?? '') ?? [];
    return status === 0 && version !== undefined ? [{ program, version }] : [];
  });
}
