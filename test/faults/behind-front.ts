import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ConnectOptions } from '../../src/model/ports.ts';
import { startSandbox } from '../../src/sandbox/server.ts';
import {
  type ContractOperationId as OperationId,
  contractOperations as operations,
} from '../../src/service/operations.ts';
import { connectUndici } from '../../src/service/wire/undici.ts';
import { cli, type Result } from '../helpers/cli.ts';
import { type Front, type FrontOptions, keyed, openFront, pastOnceTried } from './front.ts';
import { type Row, rows } from './wire-rows.ts';

const DATE = /\d{4}-\d\d-\d\dT[\d:.]+Z/g;

/** How one command fared behind a front. */
export interface Fared {
  /** `0 after 2 tries, done`, `8 outcome_unknown after 1 try, not done`, `7 reset after 2 tries`: the whole of it. */
  readonly told: string;
  /** stdout, without the dates that every run has its own of. */
  readonly printed: string;
  /** The warnings of it, where there are any. */
  readonly warned: string | undefined;
}

/** How the front misbehaves, and what else there is to a run. */
export type Trouble = Pick<FrontOptions, 'misdeed' | 'commits' | 'times'> & {
  /** Where tries must be told from patience: how long a head, and a silence in a body, is waited for. */
  readonly patienceMs?: number;
  /** More words of the command line. */
  readonly more?: readonly string[];
};

/**
 * Runs the command of an operation, with two tries, against a sandbox behind a front, and says how it fared.
 *
 * @throws when a promise that holds for all is broken: more than one document, a stack, the token, a control byte, or
 * an exit code that the state of the service contradicts.
 */
export async function behindFront(id: OperationId, trouble: Trouble): Promise<Fared> {
  const folder = await mkdtemp(join(tmpdir(), 'innctl-'));
  const sandbox = await startSandbox({ folder: join(folder, 'service'), now: Date.now });
  try {
    const target = `${operations[id].method} ${pathOf(id)}`;
    await using front = await openFront({ ...trouble, service: sandbox.url, target });
    const row = rows[id];
    const result = await runOnce(row, front, trouble, {
      folder: join(folder, 'config'),
      token: sandbox.token,
    });
    const isDone = await look(row, sandbox.url);
    keepsItsWord(result, isDone, sandbox.token);
    return {
      told: tell(result, front.tries, isDone),
      printed: result.stdout.replace(DATE, '(date)'),
      warned: result.stderr.match(/^warning: .*$/gm)?.join('\n'),
    };
  } finally {
    await sandbox.close();
    await rm(folder, { recursive: true, force: true });
  }
}

function runOnce(
  { line, stdin = '' }: Row,
  front: Front,
  { patienceMs, more = [] }: Trouble,
  { folder, token }: { readonly folder: string; readonly token: string },
): Promise<Result> {
  const env = {
    ...keyed,
    INNCTL_IDENTITY_URL: front.origin,
    INNCTL_BASE_URL: front.origin,
    INNCTL_TOKEN: token,
  };
  const patience = patienceMs === undefined ? {} : { headTimeoutMs: patienceMs, idleTimeoutMs: patienceMs };
  const connect = (options: ConnectOptions) => connectUndici({ ...options, ...patience });
  const now = more.includes('--timeout') ? pastOnceTried(front) : Date.now;
  return cli([...line, '--json', '--max-attempts', '2', ...more], { env, folder, connect, stdin, now });
}

function pathOf(id: OperationId): string {
  return operations[id].path.replace(/\{(\w+)\}/g, (_, name: string) => rows[id].values?.[name] ?? '');
}

async function look({ shows }: Row, service: string): Promise<boolean | undefined> {
  if (shows === undefined) return undefined;
  const [path, isDone] = shows;
  const answer = await fetch(`${service}${path}`);
  return isDone(answer.status, await answer.text());
}

function tell({ exitCode, stderr }: Result, tries: number, isDone: boolean | undefined): string {
  const ended = exitCode === 0 ? '0' : `${exitCode} ${JSON.parse(stderr).error.code}`;
  const shown = isDone === undefined ? '' : isDone ? ', done' : ', not done';
  return `${ended} after ${tries} ${tries === 1 ? 'try' : 'tries'}${shown}`;
}

function keepsItsWord(
  { exitCode, stdout, stderr }: Result,
  isDone: boolean | undefined,
  token: string,
): void {
  if (stdout !== '') JSON.parse(stdout);
  const broken = {
    'prints a document although it failed': exitCode !== 0 && stdout !== '',
    'shows a stack': /(\n|\\n)\s+at /.test(stderr),
    'shows the token': `${stdout}${stderr}`.includes(token),
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for.
    'prints a control byte': /[\0-\x08\x0b-\x1f\x7f-\x9f]/.test(`${stdout}${stderr}`),
    'says done, and it is not': exitCode === 0 && isDone === false,
    'says failed, and it is done': exitCode !== 0 && exitCode !== 8 && isDone === true,
  };
  const complaints = Object.entries(broken).flatMap(([complaint, isSo]) => (isSo ? [complaint] : []));
  if (complaints.length > 0)
    throw new Error(`${complaints.join(', ')}: ${JSON.stringify({ exitCode, stdout, stderr })}`);
}
