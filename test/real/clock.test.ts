import { execFileSync } from 'node:child_process';
import { beforeAll, describe, expect, test } from 'vitest';
import type { Ended } from '../bin/home.ts';
import { setup } from '../bin/setup.ts';
import { type Program, withProgram } from '../soak/program.ts';
import type { Shape } from '../soak/seed.ts';
import { problemsAfter, unheardOf } from '../soak/verify.ts';

const shape: Shape = { created: 150, changed: 10, invited: 30, users: 10 };

/** Asked for once, before anything is killed: what a killed program leaves behind, `faketime` stumbles over in a process of its number. */
const library = execFileSync('faketime', ['-f', '+0', 'printenv', 'LD_PRELOAD'], { encoding: 'utf8' }).trim();

/** The environment of a program whose clock is off; `faketime` itself would stand between it and who kills it. */
function clockAt(FAKETIME: string) {
  return { FAKETIME, LD_PRELOAD: library };
}

beforeAll(setup);

describe('a clock that is off', () => {
  test.each([
    ['ahead', '+2h'],
    ['behind', '-2h'],
  ])(
    'two hours %s: patience is counted by the clock of the service, and everything is there once',
    async (_, offset) => {
      await withProgram(
        async (program) => {
          const { gateway } = program.service;
          let refused = 0;
          gateway.intercept(() => {
            if (gateway.writes < 50 || refused >= 2) return undefined;
            refused += 1;
            return { status: 503, headers: patience() };
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
    'two hours %s: an invitation without an answer is found in the list, and no second mail goes out',
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
    { killed: '+2h', goesOn: '+0' },
    { killed: '+0', goesOn: '+2h' },
    { killed: '+0', goesOn: '-2h' },
  ])(
    'a run killed at $killed goes on at $goesOn, and the service is slow to show: nothing twice, nothing lost',
    async ({ killed, goesOn }) => {
      await withProgram(
        async (program) => {
          const first = await killedHalfway(program, killed);
          program.service.gateway.conceal(await unheardOf(program));

          const ended = await program.apply({ env: clockAt(goesOn) });

          expect(first.exitCode).toBe(null);
          expect(await problemsAfter(program, ended)).toEqual([]);
        },
        { shape },
      );
    },
  );

  test('a run that goes on a day later, when no key is good any more, reads first: nothing twice, nothing lost', async () => {
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

/** Two seconds from now by the clock of the service, as a date, which has no smaller unit. */
function patience() {
  const now = Date.now();
  return { date: new Date(now).toUTCString(), 'retry-after': new Date(now + 2_000).toUTCString() };
}

/** Ends in the middle of the properties, when the service has carried out what nobody hears of. */
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
