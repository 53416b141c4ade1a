import { expect, test } from 'vitest';
import type { Connect } from '../../src/model/ports.ts';
import { allOf } from '../../src/reference/model.ts';
import { WireFailure } from '../../src/service/retry.ts';
import { connectUndici } from '../../src/service/wire/undici.ts';
import { exitCodesOf } from '../../src/session/command-line.ts';
import { cli, type Situation } from '../helpers/cli.ts';
import { temporaryFolder } from '../helpers/folder.ts';
import { beforeUndo, machineLines, serviceCommands } from './lines.ts';
import { commandModel } from './tree.ts';

const commands = allOf(await commandModel()).filter(({ about }) => about.effect !== undefined);
const about = new Map(commands.map((command) => [command.path.join(' '), command.about]));

/** The documented exit codes of a command. */
const codesOf = (command: string) => exitCodesOf(about.get(command) ?? { examples: [] });

/** Failures of a request: error statuses and transport errors. */
const failures = [
  400,
  401,
  403,
  404,
  408,
  409,
  410,
  412,
  415,
  418,
  422,
  429,
  500,
  503,
  'refused',
  'reset',
] as const;
type Failure = (typeof failures)[number];

const atTheService = await serviceCommands();

async function run(line: string, situation: Situation = {}) {
  const folder = await temporaryFolder();
  if (line.includes(' undo ')) await cli(`--sandbox ${beforeUndo}`, { folder, connect: connectUndici });
  return cli(line, { folder, connect: connectUndici, ...situation });
}

/** A transport on which the matching requests fail so. */
function failingTransport(end: Failure, isHit: (method: string) => boolean): Connect {
  return async (options) => {
    const transport = await connectUndici(options);
    return {
      ...transport,
      request: async (request) => {
        if (!isHit(request.method)) return transport.request(request);
        if (end === 'refused') throw new WireFailure('refused', 'refused', { sent: false });
        request.onSent?.();
        if (end === 'reset') throw new WireFailure('reset', 'reset', { sent: true });
        return { status: end, headers: { 'content-type': 'application/json' }, bytes: Buffer.from('{}') };
      },
    };
  };
}

test('every local command has a line', () => {
  const local = [...about].flatMap(([command, { on }]) => (on === 'service' ? [] : [command]));

  expect(Object.keys(machineLines).toSorted()).toEqual(local.toSorted());
});

/** Each command meets two failures, and each failure meets several commands. */
const meetings = atTheService.map((each, turn) => ({
  ...each,
  own: [turn, turn + failures.length / 2].map((at) => failures[at % failures.length] as Failure),
}));

test('each failure meets at least four commands', () => {
  const met = meetings.flatMap(({ own }) => own);

  expect(failures.filter((end) => met.filter((each) => each === end).length < 4)).toEqual([]);
});

test.each(meetings)(
  '$command exits with a documented code, and prints one document, when the service fails: $own',
  async ({ command, own, rest, codes, ...situation }) => {
    const env = { INNCTL_MAX_ATTEMPTS: '2', ...situation.env };
    for (const end of own) {
      const { exitCode, stdout, stderr } = await run(`--sandbox --json ${command} ${rest}`, {
        env,
        connect: failingTransport(end, () => true),
      });

      // If the record of the run is gone, there is nothing to undo.
      if (command !== 'undo' || end !== 404) expect(exitCode, String(end)).not.toBe(0);
      expect(codes).toContain(exitCode);
      expect(JSON.parse(stdout || stderr)).toEqual(
        stdout === '' ? { error: expect.anything() } : expect.anything(),
      );
    }
  },
);

const refusals = [403, 404, 409, 500, 503, 'reset'] as const;

const refused = atTheService
  .filter(({ isWriting }) => isWriting)
  .map((each, turn) => ({ ...each, end: refusals[turn % refusals.length] ?? 500 }));

test.each(refused)(
  '$command exits with a documented code when its write fails: $end',
  async ({ command, end, rest, codes, ...situation }) => {
    const env = { INNCTL_MAX_ATTEMPTS: '2', ...situation.env };
    const connect = failingTransport(end, (method) => method !== 'GET');

    const { exitCode } = await run(`--sandbox ${command} ${rest}`, { env, connect });

    expect(codes).toContain(exitCode);
  },
);

test.each(atTheService)(
  'read-only blocks writing commands only: $command',
  async ({ command, rest, isWriting, ...situation }) => {
    const env = { INNCTL_SAFETY: 'read-only', ...situation.env };

    expect((await run(`--sandbox ${command} ${rest}`, { env })).exitCode).toBe(isWriting ? 11 : 0);
  },
);

test.each(Object.entries(machineLines).filter(([command]) => command !== 'sandbox serve'))(
  '--dry-run is rejected for local commands with effects only: %s',
  async (command, rest) => {
    const { stderr } = await run(`--dry-run ${command} ${rest}`);

    expect(stderr.includes('--dry-run applies only to requests')).toBe(
      about.get(command)?.effect !== 'reads',
    );
  },
);

test('an unknown and an ambiguous run id exit with documented codes', async () => {
  const folder = await temporaryFolder();
  for (const [id, file] of Object.entries({ 'winter-1': 'people.yaml', 'winter-2': 'seed.yaml' })) {
    const line = `--sandbox apply test/reference/${file} --yes --progress none --run-id ${id}`;
    await run(line, { folder });
  }

  const codes = [
    (await run('--sandbox runs show summer', { folder })).exitCode,
    (await run('--sandbox runs show winter', { folder })).exitCode,
  ];

  expect(codes).toEqual([3, 12]);
  expect(codesOf('runs show')).toEqual(expect.arrayContaining(codes));
});
