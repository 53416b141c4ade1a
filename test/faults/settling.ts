import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Connect } from '../../src/model/ports.ts';
import { startSandbox } from '../../src/sandbox/server.ts';
import { WireFailure } from '../../src/service/retry.ts';
import { connectUndici } from '../../src/service/wire/undici.ts';
import { cli, type Result, type Situation } from '../helpers/cli.ts';
import { settlingLine, wordsOf } from '../helpers/shell-words.ts';
import { type Front, type FrontOptions, keyed, type Misdeed, openFront, pastOnceTried } from './front.ts';

/** A write that ends in doubt, and how the service shows that it was carried out. */
export interface Doubtful {
  readonly line: readonly string[];
  readonly stdin?: string;
  /** `POST /inventory/v1/properties` */
  readonly target: string;
  /** Where to look, and whether it was carried out. */
  readonly shows: readonly [path: string, isDone: (status: number, text: string) => boolean];
}

/** How a front misbehaves before it is calm; without a misdeed it is silent. `more` stands behind the first command line. */
export type Trouble = Pick<FrontOptions, 'commits'> & {
  readonly misdeed?: Misdeed;
  readonly more?: readonly string[];
};

const MOST_TYPED = 3;

/**
 * Runs a command whose first run meets trouble, and types the hint of each exit 8.
 *
 * @param planTo where a plan is saved that the command line names.
 * @returns the exit codes in their order, and what the service took.
 * @throws when a hint is not one command line, or the service does not show what the last exit code says.
 */
export async function settled(
  { line, stdin = '', target, shows }: Doubtful,
  { more = [], misdeed, commits }: Trouble,
  { planTo }: { readonly planTo?: string } = {},
): Promise<{ readonly codes: readonly number[]; readonly taken: readonly string[] }> {
  const folder = await mkdtemp(join(tmpdir(), 'innctl-'));
  const sandbox = await startSandbox({ folder: join(folder, 'service'), now: Date.now });
  try {
    const { connect, ...own } = misdeed === undefined ? silence() : { connect: connectUndici, misdeed };
    await using front = await openFront({ ...own, commits, times: 99, service: sandbox.url, target });
    const now = more.includes('--timeout') ? pastOnceTried(front) : Date.now;
    const type = typing(front, {
      folder: join(folder, 'config'),
      token: sandbox.token,
      stdin,
      first: { connect, now },
    });
    if (line.includes('--plan') && planTo !== undefined)
      await writeFile(planTo, (await type(['plan', line[1] ?? '', '--json'])).stdout);
    const codes = await typedUntilSettled(
      [...line, '--json', '--max-attempts', '2', ...more],
      type,
      front.calm,
    );
    const answer = await fetch(`${sandbox.url}${shows[0]}`);
    const isDone = shows[1](answer.status, await answer.text());
    if (codes.at(-1) === 0 && !isDone) throw new Error(`says done, and it is not: ${line.join(' ')}`);
    return { codes, taken: front.taken };
  } finally {
    await sandbox.close();
    await rm(folder, { recursive: true, force: true });
  }
}

/** Types a command line, and then the hint of each exit 8, three times at most. @returns all exit codes. */
export async function typedUntilSettled(
  line: readonly string[],
  type: (line: readonly string[]) => Promise<Result>,
  afterFirst: () => void = () => {},
): Promise<readonly number[]> {
  let result = await type(line);
  afterFirst();
  const codes = [result.exitCode];
  while (result.exitCode === 8 && codes.length <= MOST_TYPED) {
    const words = wordsOf(settlingLine(result.stderr));
    result = await type(words.includes('resend') ? [...words, '--yes', '--json'] : words);
    codes.push(result.exitCode);
  }
  const said = result.stderr.split('\n').filter((line) => line !== '' && !line.startsWith('warning: '));
  if (result.exitCode === 0 && said.length > 0) throw new Error(`said under --json: ${result.stderr}`);
  return codes;
}

/** A service that is silent, and the real transport, on which what is left without an answer has timed out at once. */
function silence(): { readonly connect: Connect; readonly misdeed: Misdeed } {
  const writes = new Map<string, AbortController>();
  const timeout = () => new WireFailure('timeout', 'the service did not answer.', { sent: true });
  return {
    misdeed: (_socket, _answer, body) => writes.get(body)?.abort(timeout()),
    connect: async (options) => {
      const { request, close } = await connectUndici(options);
      return {
        close,
        request: ({ signal, ...given }) => {
          const over = new AbortController();
          if (given.method !== 'GET') writes.set(given.body ?? '', over);
          return request({ ...given, signal: AbortSignal.any([signal, over.signal]) });
        },
      };
    },
  };
}

interface Typing {
  readonly folder: string;
  readonly token: string;
  readonly stdin: string;
  /** What the first run has of its own. */
  readonly first: Pick<Situation, 'connect' | 'now'>;
}

function typing({ origin }: Front, { folder, token, stdin, first }: Typing) {
  let run = 0;
  const env = { ...keyed, INNCTL_IDENTITY_URL: origin, INNCTL_BASE_URL: origin, INNCTL_TOKEN: token };
  return (line: readonly string[]) => {
    run += 1;
    const uuid = `11111111-2222-4333-8444-00000000000${run}`;
    const own = run === 1 ? first : { connect: connectUndici };
    return cli(line, { env, folder, stdin, uuid, ...own });
  };
}
