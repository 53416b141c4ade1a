import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setImmediate } from 'node:timers/promises';
import { shellLine } from '../../src/print/text.ts';
import type { Records } from '../../src/sandbox/records.ts';
import { connectUndici } from '../../src/service/wire/undici.ts';
import { cli, type Result } from '../helpers/cli.ts';
import { parseFault, startSandbox } from '../helpers/fault-front.ts';
import { openGateway } from '../soak/gateway.ts';
import { readHeld } from '../soak/service.ts';
import { found } from './model.ts';
import { argumentsOf, type Command, type History, manifestOf, type Name, parts, type Step } from './steps.ts';

const NOON = Date.UTC(2026, 3, 21, 12);
export const MINUTE = 60_000;

/** A service, its clock, and the machines that use it. */
export interface World extends AsyncDisposable {
  /** Runs a command, or two at once, under what disturbs them. */
  run(commands: readonly Command[], disturbance?: Disturbance): Promise<readonly Outcome[]>;
  wait(ms: number): void;
  now(): number;
  records(): Promise<Records>;
  /** The command lines so far, with what came of them; the first one starts the service. */
  readonly transcript: readonly string[];
}

/** How a command ended; without an exit code it was killed. */
export interface Outcome {
  readonly command: Command;
  readonly exitCode: number | null;
  readonly printed: string;
}

type Kill = NonNullable<Step['kill']>;
type Disturbance = Pick<Step, 'machine' | 'fault' | 'kill' | 'forgets'>;

/** @param program the path of the bundled `process.mts`. */
export async function openWorld(
  { lagMs, reads, ignoresKeys = false, runId = false }: History,
  program: string,
): Promise<World> {
  const folder = await mkdtemp(join(tmpdir(), 'innctl-history-'));
  const clock = { now: NOON };
  const now = () => clock.now;
  const state = { folder: join(folder, 'service'), now, dialect: 'apaleo' } as const;
  const lasting = [`lag:ms=${lagMs},reads=${reads}`, ...(ignoresKeys ? ['ignore-keys'] : [])];
  const open = (...faults: readonly string[]) =>
    startSandbox({ ...state, faults: [...lasting, ...faults].map(parseFault) });
  const steady = await open();
  let answering = steady;
  const gateway = await openGateway(() => Number(new URL(answering.url).port));
  const env = {
    INNCTL_IDENTITY_URL: gateway.origin,
    INNCTL_BASE_URL: gateway.origin,
    INNCTL_TOKEN: steady.token,
    INNCTL_DIALECT: 'apaleo',
  };
  const records = async () => (await readHeld(join(state.folder, 'state.ndjson'))).records;
  const transcript = [
    `innctl sandbox serve --dialect apaleo ${lasting.map((each) => `--fault ${each}`).join(' ')}`,
  ];
  const ids = new Map<Name, string>();
  let runs = 0;

  /** The arguments of a command; a unit is deleted by its id, also when it is gone. */
  async function wordsOf(command: Command): Promise<readonly string[]> {
    if (command.verb === 'apply') {
      const file = join(folder, 'hotel.json');
      await writeFile(file, manifestOf(command.rows));
      return [...argumentsOf(command, file), ...(runId ? ['--run-id', 'night-1'] : [])];
    }
    if (command.verb === 'create') return argumentsOf(command, '');
    const { name } = command;
    const [record] = found(name, await records());
    const id = record?.id ?? ids.get(name) ?? parts(name)[1].replace('/', '-');
    ids.set(name, id);
    return argumentsOf(command, id);
  }

  async function run(
    command: Command,
    words: readonly string[],
    machine: number,
    kill?: Kill,
  ): Promise<Outcome> {
    runs += 1;
    const uuid = `00000000-0000-4000-8000-${String(runs).padStart(12, '0')}`;
    const situation = { folder: join(folder, `machine-${machine}`), env, uuid };
    const at = `${new Date(clock.now).toISOString().slice(11, 19)} machine ${machine}`;
    const { exitCode, stdout, stderr } =
      kill === undefined
        ? await cli(words, { ...situation, now, connect: connectUndici, sleep })
        : await killed({ ...situation, words, now: clock.now }, kill);
    transcript.push(
      `${at}: innctl ${shellLine(words)} => ${exitCode ?? `killed ${kill?.moment} of write ${kill?.write}`}`,
      ...(command.verb === 'apply' ? [`  the file: ${manifestOf(command.rows)}`] : []),
      (stdout + stderr).trimEnd().replaceAll(/^/gm, '    '),
    );
    return { command, exitCode, printed: stdout + stderr };
  }

  async function sleep(ms: number): Promise<void> {
    clock.now += ms;
    await setImmediate();
  }

  /** Runs a process until it is killed, and everything that it sent has been carried out. */
  async function killed(situation: object, kill: Kill) {
    const child = spawn(process.execPath, [program, JSON.stringify(situation)]);
    gateway.strike({ ...kill, kill: () => child.kill('SIGKILL') });
    const [printed] = await Promise.all([text(child.stdout), once(child, 'close')]);
    await gateway.quiet();
    gateway.strike(undefined);
    // The clock of the process may have gone ahead.
    clock.now += MINUTE;
    const ended: Result = JSON.parse(printed || '{}');
    return child.exitCode === null ? { exitCode: null, stdout: '', stderr: '' } : ended;
  }

  return {
    transcript,
    now,
    records,
    wait(ms) {
      clock.now += ms;
    },
    async run(commands, { machine = 0, fault, kill, forgets } = {}) {
      const faulty = fault === undefined ? undefined : await open(fault);
      if (fault !== undefined) transcript.push(`with --fault ${fault}:`);
      if (forgets) {
        transcript.push('the journal is lost:');
        for (const each of [0, 1])
          await rm(join(folder, `machine-${each}`, 'state'), { recursive: true, force: true });
      }
      if (commands.length > 1) transcript.push('at the same time:');
      answering = faulty ?? steady;
      const lines: (readonly string[])[] = [];
      for (const command of commands) lines.push(await wordsOf(command));
      const outcomes = await Promise.all(
        commands.map((command, place) => {
          const isLast = place === commands.length - 1;
          return run(command, lines[place] ?? [], isLast ? machine : 0, place === 0 ? kill : undefined);
        }),
      );
      answering = steady;
      await faulty?.close();
      return outcomes;
    },
    async [Symbol.asyncDispose]() {
      await gateway[Symbol.asyncDispose]();
      await steady.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
