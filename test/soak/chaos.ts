import { isDeepStrictEqual } from 'node:util';
import { type Home, openHome } from '../bin/home.ts';
import { withProgram } from './program.ts';
import { openService, type Service } from './service.ts';
import { problemsAfter } from './verify.ts';

/** Five requests in a hundred go wrong, whatever they are about, in one of eight ways. */
const chaos = [
  ...['500', '503', 'drop-before', 'drop-after', 'cut'],
  ...['answer:status=200,body=html', 'answer:body=half', 'answer:body=bad-utf8'],
].map((fault) => `${fault}${fault.includes(':') ? ',' : ':'}rate=0.00625`);

/** Repetitions of the command that end a run which was killed. */
const MOST_REPETITIONS = 2;

/** What became of one ordeal; no problems are what is wanted. */
export interface Figures {
  readonly problems: readonly string[];
  readonly seconds: number;
  /** What else was counted, in words. */
  readonly told: string;
}

/**
 * Kills a seed of properties and users, repeats the command until it is done, and once more when there is nothing left to do.
 * Invitations are left out: they have no key, and one in doubt waits for somebody's word.
 *
 * @param killAt the write at which it dies.
 */
export function surviveChaos(rows: number, killAt: number, faultSeed: number): Promise<Figures> {
  const shape = { created: rows - 60, changed: 20, invited: 0, users: 40 };
  return timed(() =>
    withProgram(
      async (program) => {
        const { gateway } = program.service;
        const killed = await program.applyKilled((kill) => {
          gateway.strike({ moment: 'after the commit', write: killAt, kill });
          return {};
        });
        await gateway.quiet();
        gateway.strike(undefined);
        let repetitions = 1;
        let ended = await program.apply();
        while (ended.exitCode !== 0 && repetitions < MOST_REPETITIONS) {
          repetitions += 1;
          ended = await program.apply();
        }
        const problems = await problemsAfter(program, ended);
        gateway.strike(undefined);
        const finished = await program.apply();
        const again = await problemsAfter(program, finished);
        return {
          problems: [
            ...(killed.exitCode === null ? [] : [`was not killed, and ended with ${killed.exitCode}`]),
            ...problems,
            ...(problems.length === 0 ? again.map((problem) => `finished: ${problem}`) : []),
            ...(gateway.writes === 0 ? [] : [`finished: ${gateway.writes} writes were sent`]),
          ],
          told: `${repetitions} repetitions, ${gateway.ledger.replays} replays, ${gateway.ledger.dropped} answers lost`,
        };
      },
      { shape, faults: chaos, sandbox: { faultSeed } },
    ),
  );
}

/** Exports so many properties, which must be those that are there, each with all of its fields. */
export function exportInChaos(size: number, faultSeed: number): Promise<Figures> {
  return inChaos({ size, faultSeed, faults: chaos }, async (home, service) => {
    const { exitCode, stdout, stderr } = await home.innctl(
      ['export', '--kind', 'property', '-o', 'ndjson'],
      service.env,
    );
    if (exitCode !== 0) return { problems: [`ended with ${exitCode}: ${stderr.slice(-500)}`], told: '' };
    const { records } = await service.held();
    const lines = stdout.split('\n').filter(Boolean);
    const exported = lines.map((line): Readonly<Record<string, unknown>> => JSON.parse(line));
    const wrong = exported.filter(({ code, name, location }) => {
      const held = records.properties.get(String(code));
      return !isDeepStrictEqual([held?.name, held?.location], [name, location]);
    });
    const codes = new Set(exported.map(({ code }) => code));
    return {
      problems: [
        ...(codes.size === size && exported.length === size
          ? []
          : [`${exported.length} of ${size} exported`]),
        ...wrong.map(({ code }) => `${code} is exported otherwise than it is`),
      ],
      told: `${exported.length} exported`,
    };
  });
}

/** Counts the properties again and again: no answer may be a wrong number. Half of a number is a number, which is believed. */
export function countInChaos(size: number, times: number, faultSeed: number): Promise<Figures> {
  const faults = chaos.filter((fault) => !fault.startsWith('answer:body=half'));
  return inChaos({ size, faultSeed, faults }, async (home, service) => {
    const problems: string[] = [];
    let failed = 0;
    for (let index = 0; index < times; index += 1) {
      const { exitCode, stdout } = await home.innctl(['properties', 'count'], service.env);
      if (exitCode !== 0) failed += 1;
      else if (stdout.trim() !== String(size)) problems.push(`${stdout.trim()} of ${size} counted`);
    }
    return { problems, told: `${times - failed} of ${times} answered` };
  });
}

function inChaos(
  { size, faultSeed, faults }: Readonly<{ size: number; faultSeed: number; faults: readonly string[] }>,
  work: (home: Home, service: Service) => Promise<Omit<Figures, 'seconds'>>,
): Promise<Figures> {
  return timed(async () => {
    await using home = await openHome();
    await using service = await openService({
      folder: home.folder,
      faults,
      sandbox: { faultSeed },
      size,
    });
    return await work(home, service);
  });
}

async function timed(work: () => Promise<Omit<Figures, 'seconds'>>): Promise<Figures> {
  const start = performance.now();
  const figures = await work();
  return { ...figures, seconds: (performance.now() - start) / 1_000 };
}
