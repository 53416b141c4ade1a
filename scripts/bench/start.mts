import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import type { Service } from './service.mts';
import { type Spread, shown, spreadOf, takeTurns } from './spread.mts';

const binary = join(import.meta.dirname, '../../bin/innctl.js');
const EFFORT = { rounds: 40, seconds: 20 };

const commands: Readonly<Record<string, readonly string[]>> = {
  'node -e 0': ['-e', '0'],
  '--version': [binary, '--version'],
  '--help': [binary, '--help'],
  'profiles list': [binary, 'profiles', 'list'],
  'properties list (GET, table)': [binary, 'properties', 'list', '--output', 'table'],
};
const [bare = ''] = Object.keys(commands);

/** One command in one environment; milliseconds of wall time, and multiples of the bare Node of the same round. */
export interface StartFigure {
  readonly environment: string;
  readonly command: string;
  readonly rounds: number;
  readonly ms: Spread;
  readonly ratio: Spread;
}

/** Measures how long a start takes, in a clean environment and in the one that there is. */
export async function measureStarts(service: Service, folder: string): Promise<readonly StartFigure[]> {
  await service.hold(['BER', 'MUC', 'VIE']);
  const settings = {
    INNCTL_CONFIG_DIR: folder,
    INNCTL_IDENTITY_URL: service.origin,
    INNCTL_BASE_URL: service.origin,
    INNCTL_TOKEN: 'token-of-ana-1234567890',
  };
  return [
    ...(await measure('clean', { PATH: process.env['PATH'], HOME: folder, ...settings })),
    ...(await measure('as it is', { ...process.env, ...settings })),
  ];
}

async function measure(environment: string, env: NodeJS.ProcessEnv): Promise<readonly StartFigure[]> {
  const names = Object.keys(commands);
  for (const name of names) timeOf(name, env);
  const rounds = await takeTurns(names, async (name) => timeOf(name, env), EFFORT);
  return names.map((command) => ({
    environment,
    command,
    rounds: rounds.length,
    ms: spreadOf(rounds.map((round) => round.get(command) ?? Number.NaN)),
    ratio: spreadOf(
      rounds.map((round) => (round.get(command) ?? Number.NaN) / (round.get(bare) ?? Number.NaN)),
    ),
  }));
}

function timeOf(name: string, env: NodeJS.ProcessEnv): number {
  const start = performance.now();
  const { status, stderr } = spawnSync(process.execPath, commands[name] ?? [], { env, encoding: 'utf8' });
  const ms = performance.now() - start;
  if (status !== 0) throw new Error(`"${name}" ended with ${status}: ${stderr}`);
  return ms;
}

/** For people. */
export function startTable(figures: readonly StartFigure[]): string {
  const rows = figures.map(({ environment, command, ms, ratio }) =>
    [environment.padEnd(10), command.padEnd(30), shown(ratio).padEnd(24), shown(ms)].join(''),
  );
  const head = ['env'.padEnd(10), 'command'.padEnd(30), `x ${bare}`.padEnd(24), 'ms'].join('');
  const [first] = figures;
  return [`Starts: medians of ${first?.rounds} rounds (lowest to highest tenth)`, head, ...rows].join('\n');
}
