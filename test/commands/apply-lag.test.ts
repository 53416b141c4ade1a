import { describe, expect, test } from 'vitest';
import type { Situation } from '../helpers/cli.ts';
import { hotelsYaml, peopleYaml, seedingAt } from '../helpers/seeding.ts';

const MINUTE = 60_000;
const HOTELS = ['HAM', 'KIE', 'LEI'];
const PEOPLE = ['mia@example.com', 'eva@example.com'];
const started = ['BER', 'MUC', 'VIE'];
const POST_INVITATION = 'POST /api/v1/invitations';

/** A service that shows created records only after `ms`, a file of hotels and people, and a shared clock. */
async function laggingService(ms: number, ...faults: readonly string[]) {
  const clock = { now: Date.UTC(2026, 3, 21, 12) };
  const service = await seedingAt(() => clock.now, `lag:ms=${ms},reads=all`, ...faults);
  const people = peopleYaml(...PEOPLE).replaceAll('[BER]', '[HAM]');
  const path = await service.file('seed.yaml', hotelsYaml(...HOTELS) + people);
  const situation: Situation = {
    now: () => clock.now,
    sleep: async (waited) => {
      clock.now += waited;
    },
  };
  const run = (words: readonly string[], more: Parameters<typeof service.innctl>[1] = {}) =>
    service.innctl(words, { ...situation, ...more });
  const line = ['apply', path, '--yes', '--concurrency', '1'];
  return {
    ...service,
    clock,
    path,
    run,
    plan: (...flags: readonly string[]) => run(['plan', path, ...flags]),
    apply: (...flags: readonly string[]) => run([...line, ...flags]),
    mails: () => service.writes.filter((write) => write === POST_INVITATION).length,
    /** Expects that each record exists once, and that each creation was sent once. */
    async expectOnce(hotels = HOTELS, people = PEOPLE) {
      expect(await service.hotels()).toEqual([...started, ...hotels]);
      expect((await service.invited()).filter((email) => PEOPLE.includes(email))).toEqual(people);
      expect(service.writes.filter((write) => write.startsWith('POST'))).toHaveLength(
        HOTELS.length + PEOPLE.length,
      );
    },
  };
}

describe.each([1, 10])('records that show after %i minutes', (minutes) => {
  test('are created once: 0, 8 and 8, and 0 when they show', async () => {
    const service = await laggingService(minutes * MINUTE);
    const runs = [await service.apply(), await service.apply(), await service.apply()];
    service.clock.now += minutes * MINUTE;
    runs.push(await service.apply());

    expect(runs.map(({ exitCode }) => exitCode)).toEqual([0, 8, 8, 0]);
    expect(runs[1]?.stderr).toContain(
      'not visible yet: created as HAM at 2026-04-21T12:00:00Z; nothing is sent before it shows, or before 2026-04-21T12:15:00Z',
    );
    await service.expectOnce();
  });

  test('are deleted by --prune only when they show', async () => {
    const service = await laggingService(minutes * MINUTE);
    await service.apply();
    const people = peopleYaml('mia@example.com').replaceAll('[BER]', '[HAM]');
    await service.file('seed.yaml', hotelsYaml('HAM') + people);

    const early = await service.apply('--prune', '--max-deletes', '9');
    const left = [await service.hotels(), await service.invited()].flat();
    service.clock.now += minutes * MINUTE;
    const late = await service.apply('--prune', '--max-deletes', '9');

    expect([early.exitCode, late.exitCode]).toEqual([8, 0]);
    expect(early.stderr).toContain('not deleted: a later --prune does that once it shows');
    expect(left).toEqual(expect.arrayContaining([...HOTELS, ...PEOPLE]));
    await service.expectOnce(['HAM'], ['mia@example.com']);
  });

  test('are neither new nor to be deleted in a plan, which does not wait', async () => {
    const service = await laggingService(minutes * MINUTE);
    await service.apply();
    const { now } = service.clock;

    const planned = [await service.plan('--json'), await service.apply('--dry-run', '--json')];

    for (const { exitCode, stdout } of planned)
      expect([exitCode, JSON.parse(stdout).summary]).toEqual([0, { cannot_tell: 5 }]);
    const compared = await service.run(['drift', service.path]);
    expect(compared).toMatchObject({ exitCode: 8, stdout: '' });
    expect(compared.stderr).toMatch(/^error: property HAM: not visible yet: /);
    expect(service.clock.now).toBe(now);
  });
});

test('a refused second mail settles nothing: no third one is sent', async () => {
  const faults = [
    'drop-after:operation=createInvitation,nth=1',
    'answer:operation=createInvitation,nth=2,status=403',
  ];
  const service = await laggingService(10 * MINUTE, ...faults);
  await service.file('seed.yaml', peopleYaml('mia@example.com'));
  await service.apply();

  const refused = await service.run(['invitations', 'resend', 'mia@example.com', '--yes']);

  expect(refused.stdout).toMatch(/^failed\tcreate\tinvitation/);
  expect([(await service.apply()).exitCode, service.mails()]).toEqual([8, 2]);
});
