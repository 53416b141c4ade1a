import { execFileSync } from 'node:child_process';
import { beforeAll, describe, expect, test } from 'vitest';
import type { Ended } from '../bin/home.ts';
import { setup } from '../bin/setup.ts';
import { settled } from '../soak/ordeal.ts';
import { type Program, withProgram } from '../soak/program.ts';
import type { Shape } from '../soak/seed.ts';
import { problemsAfter, unheardOf } from '../soak/verify.ts';

const shape: Shape = { created: 150, changed: 10, invited: 30, users: 10 };

/** Looked up once, before any process is killed: `faketime` fails on the shared memory of a killed process with the same pid. */
const library = execFileSync('faketime', ['-f', '+0', 'printenv', 'LD_PRELOAD'], { encoding: 'utf8' }).trim();

/** The environment of a program with a skewed clock. Started by the `faketime` command, it could not be killed directly. */
function clockAt(FAKETIME: string) {
  return { FAKETIME, LD_PRELOAD: library };
}

beforeAll(setup);

describe('a skewed clock', () => {
  test.each([
    ['ahead', '+2h'],
    ['behind', '-2h'],
  ])(
    'two hours %s: Retry-After is relative to the clock of the service, and each record exists once',
    async (_, offset) => {
      await withProgram(
        async (program) => {
          const { gateway } = program.service;
          let refused = 0;
          gateway.intercept(() => {
            if (gateway.writes < 50 || refused >= 2) return undefined;
            refused += 1;
            return { status: 503, headers: retryAfter() };
          });

          const ended = await program.apply({ env: clockAt(offset) });

          expect(await problemsAfter(program, ended)).toEqual([]);
          expect(gateway.ledger).toMatchObject({ early: [], holds: 2 });
        },
        { shape },
      );
    },
  );

  test.each([
    ['ahead', '+2h'],
    ['behind', '-2h'],
  ])(
    'two hours %s: an invitation without a response is found in the list, and no second mail is sent',
    async (_, offset) => {
      await withProgram(
        async (program) => {
          const ended = await program.apply({ env: clockAt(offset) });

          expect(await problemsAfter(program, ended)).toEqual([]);
        },
        { shape, faults: ['drop-after:operation=createInvitation,rate=0.3'] },
      );
    },
  );

  test.each([
    { killed: '+2h', resumed: '+0' },
    { killed: '+0', resumed: '+2h' },
    { killed: '+0', resumed: '-2h' },
  ])(
    'a run killed at $killed resumes at $resumed with a lagging service: no row is lost or applied twice',
    async ({ killed, resumed }) => {
      await withProgram(
        async (program) => {
          const first = await killedHalfway(program, killed);
          program.service.gateway.conceal(await unheardOf(program));

          const ended = await settled(program, { env: clockAt(resumed) });

          expect(first.exitCode).toBe(null);
          expect(await problemsAfter(program, ended)).toEqual([]);
        },
        { shape },
      );
    },
  );

  test('a run resumed a day later, with expired keys, reads first: no row is lost or applied twice', async () => {
    await withProgram(
      async (program) => {
        const first = await killedHalfway(program, '+0');

        const ended = await program.apply({ env: clockAt('+25h') });

        expect(first.exitCode).toBe(null);
        expect(await problemsAfter(program, ended)).toEqual([]);
      },
      { shape },
    );
  });
});

/** Retry-After as a date in two seconds by the clock of the service; dates have no fractions of seconds. */
function retryAfter() {
  const now = Date.now();
  return { date: new Date(now).toUTCString(), 'retry-after': new Date(now + 2_000).toUTCString() };
}

/** Kills the run in the middle of the properties, after the service committed a write and before it responds. */
async function killedHalfway(program: Program, clock: string): Promise<Ended> {
  const { gateway } = program.service;
  const ended = await program.applyKilled((kill) => {
    gateway.strike({ moment: 'after the commit', write: 120, kill });
    return { env: clockAt(clock) };
  });
  await gateway.quiet();
  gateway.strike(undefined);
  return ended;
}
