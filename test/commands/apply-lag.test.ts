import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { Interruption } from '../../src/cli/ports.ts';
import type { Situation } from '../helpers/cli.ts';
import { hotelsYaml, peopleYaml, seedingAt } from '../helpers/seeding.ts';

const NOON = Date.UTC(2026, 3, 21, 12);
const MINUTE = 60_000;
const HOTELS = ['HAM', 'KIE', 'LEI'];
const PEOPLE = ['mia@example.com', 'eva@example.com'];
const started = ['BER', 'MUC', 'VIE'];

const lags = [5_000, 12_000, 20_000, 60_000, 10 * MINUTE];
const reads = ['lists', 'records', 'all'] as const;
const cases = lags.map((ms, turn) => [ms, reads[turn % reads.length] ?? 'all'] as const);

/** People at a hotel of the same file. */
const atHam = (...emails: readonly string[]) => peopleYaml(...emails).replaceAll('[BER]', '[HAM]');

/** A service that shows created records only after `ms`, a file of hotels and people, and a shared clock. */
async function laggingService(ms: number, which: (typeof reads)[number], ...faults: readonly string[]) {
  const clock = { now: NOON };
  const service = await seedingAt(() => clock.now, `lag:ms=${ms},reads=${which}`, ...faults);
  const path = await service.file('seed.yaml', hotelsYaml(...HOTELS) + atHam(...PEOPLE));
  const journal = join(service.folder, 'run.journal');
  const situation: Situation = {
    now: () => clock.now,
    sleep: async (waited) => {
      clock.now += waited;
    },
  };
  const runAt = async (
    words: readonly string[],
    more: Partial<Parameters<typeof service.innctl>[1]> = {},
  ) => {
    const result = await service.innctl([...words, '--journal', journal], { ...situation, ...more });
    // The duration of a run without its waits.
    clock.now += 1_000;
    return result;
  };
  const line = ['apply', path, '--yes', '--concurrency', '1'];
  return {
    ...service,
    clock,
    /** Runs until this many writes were sent, and leaves the journal as kill -9 does before the last response. */
    async applyKilled(writes: number) {
      const stop = new AbortController();
      let text = '';
      let count = 0;
      const onWrite = () => {
        count += 1;
        if (count !== writes) return;
        text = readFileSync(journal, 'utf8');
        stop.abort(new Interruption('SIGTERM'));
      };
      await runAt(line, { signal: stop.signal, onWrite });
      await writeFile(journal, text);
    },
    wait: (ms: number) => {
      clock.now += ms;
    },
    apply: (...flags: readonly string[]) => runAt([...line, ...flags]),
    plan: (...flags: readonly string[]) => runAt(['plan', path, ...flags]),
    /** Expects that each hotel exists once, created with one key, and that each mail was sent once. */
    async expectOnce(hotels = HOTELS, people = PEOPLE) {
      expect(await service.hotels()).toEqual([...started, ...hotels]);
      expect((await service.invited()).filter((email) => PEOPLE.includes(email))).toEqual(people);
      expect(new Set(service.keys).size).toBe(HOTELS.length);
      expect(service.writes.filter((write) => write === 'POST /api/v1/invitations')).toHaveLength(
        PEOPLE.length,
      );
    },
  };
}

describe.each(cases)('%i ms lag on %s', (ms, which) => {
  test('repeating the command exits with 0 or 8, and creates nothing twice', async () => {
    const service = await laggingService(ms, which);
    const exits: number[] = [];

    for (let run = 0; run < 5; run += 1) {
      const { exitCode, stderr } = await service.apply();
      exits.push(exitCode);
      if (exitCode === 8) expect(stderr).toMatch(/not visible yet: .* at 2026-04-21T12:00:\d\dZ/);
      expect(stderr).not.toContain('--run-id');
    }
    service.wait(ms);
    exits.push((await service.apply()).exitCode);

    expect(exits.filter((exit) => exit !== 0 && exit !== 8)).toEqual([]);
    expect([exits[0], exits.at(-1)]).toEqual([0, 0]);
    if (ms <= 12_000) expect(exits).toEqual([0, 0, 0, 0, 0, 0]);
    await service.expectOnce();
  });

  test.each([1, 4])('a run killed at write %i can be continued', async (write) => {
    const service = await laggingService(ms, which);
    await service.applyKilled(write);
    const exits: number[] = [];

    for (let run = 0; run < 3; run += 1) exits.push((await service.apply()).exitCode);
    service.wait(ms);
    exits.push((await service.apply()).exitCode);

    expect(exits.filter((exit) => exit !== 0 && exit !== 8)).toEqual([]);
    expect(exits.at(-1)).toBe(0);
    await service.expectOnce();
  });

  test('--prune deletes only visible records, and reports those that are not visible yet', async () => {
    const service = await laggingService(ms, which);
    await service.apply();
    await service.file('seed.yaml', hotelsYaml('HAM') + atHam('mia@example.com'));

    const early = await service.apply('--prune', '--max-deletes', '9');
    const left = [...(await service.hotels()), ...(await service.invited())];
    service.wait(ms);
    const late = await service.apply('--prune', '--max-deletes', '9');

    expect([0, 8]).toContain(early.exitCode);
    if (early.exitCode === 8) expect(early.stderr).toContain('not visible yet: created');
    expect(left).toEqual(expect.arrayContaining(['HAM', 'mia@example.com']));
    expect([late.exitCode, await service.hotels()]).toEqual([0, [...started, 'HAM']]);
    await service.expectOnce(['HAM'], ['mia@example.com']);
  });

  test('a plan does not wait, and shows no record as new or deleted', async () => {
    const service = await laggingService(ms, which);
    await service.apply();
    const { now } = service.clock;

    const planned = await service.plan('--json');
    const dryRun = await service.apply('--dry-run', '--json');

    for (const { exitCode, stdout } of [planned, dryRun]) {
      expect(exitCode).toBe(0);
      const { summary, items } = JSON.parse(stdout);
      expect(summary).not.toHaveProperty('create');
      expect(summary).not.toHaveProperty('conflict');
      for (const { action, reason } of items)
        if (action === 'cannot_tell') expect(reason).toContain('not visible yet: ');
    }
    expect(service.clock.now - now).toBe(2_000);
    await service.expectOnce();
  });
});

test('people are invited to a property that is not visible yet, by its id from the journal', async () => {
  const service = await laggingService(10 * MINUTE, 'all');
  await service.file('seed.yaml', hotelsYaml(...HOTELS));
  await service.apply();
  await service.file('seed.yaml', hotelsYaml(...HOTELS) + atHam(...PEOPLE));

  const { exitCode, stdout } = await service.apply();

  expect([exitCode, stdout.split('\n').map((row) => row.split('\t')[0])]).toEqual([
    8,
    ['unknown', 'unknown', 'unknown', 'done', 'done', ''],
  ]);
  await service.expectOnce();
});

test('--resend-unknown sends one more mail, and is needed each time', async () => {
  const service = await laggingService(
    10 * MINUTE,
    'lists',
    'drop-before:operation=createInvitation,times=9',
  );
  await service.applyKilled(4);
  const mails = () => service.writes.filter((write) => write === 'POST /api/v1/invitations').length;
  const before = mails();

  const exits = [(await service.apply()).exitCode, (await service.apply()).exitCode];
  expect([exits, mails() - before]).toEqual([[8, 8], 1]);

  await service.apply('--resend-unknown');
  const sent = mails();
  expect((await service.apply()).exitCode).toBe(8);
  expect(mails()).toBe(sent);
});

test('a 409 after --resend-unknown means that the earlier mail was sent', async () => {
  const service = await laggingService(10 * MINUTE, 'lists', 'drop-after:operation=createInvitation,times=2');

  expect((await service.apply()).exitCode).toBe(8);
  expect((await service.apply('--resend-unknown')).exitCode).toBe(0);
});

const mailsOf = ({ writes }: { readonly writes: readonly string[] }) =>
  writes.filter((write) => write === 'POST /api/v1/invitations').length;

test('the hint settles an invitation that was answered, and --resend-unknown does not send it again', async () => {
  const service = await laggingService(10 * MINUTE, 'lists');
  await service.file('seed.yaml', atHam(...PEOPLE).replaceAll('HAM', 'BER'));
  await service.apply();

  const unseen = await service.apply('--resend-unknown');
  const settled = await service.apply('--resend-unknown');
  const once = await service.apply();
  service.wait(10 * MINUTE);
  await service.file('seed.yaml', atHam('mia@example.com').replaceAll('HAM', 'BER'));
  const pruned = await service.apply('--prune', '--max-deletes', '1');

  expect([unseen, settled, once, pruned].map(({ exitCode }) => exitCode)).toEqual([8, 0, 0, 0]);
  expect(unseen.stderr).toContain(
    'not visible yet: invited at 2026-04-21T12:00:00Z, as the service answered',
  );
  expect(mailsOf(service)).toBe(PEOPLE.length);
  expect(await service.invited()).not.toContain('eva@example.com');
});

test('the hint settles an invitation that got no response and is not visible', async () => {
  const service = await laggingService(10 * MINUTE, 'lists', 'drop-after:operation=createInvitation,nth=1');
  await service.file('seed.yaml', atHam('mia@example.com').replaceAll('HAM', 'BER'));

  const exits = [(await service.apply()).exitCode, (await service.apply()).exitCode];
  const resent = await service.apply('--resend-unknown');
  const later = [await service.apply('--resend-unknown'), await service.apply('--resend-unknown')];

  expect(exits).toEqual([8, 8]);
  expect([resent.exitCode, resent.stdout]).toEqual([0, expect.stringMatching(/^done\tcreate\tinvitation/)]);
  expect([later.map(({ exitCode }) => exitCode), mailsOf(service)]).toEqual([[8, 0], 2]);
  expect((await service.invited()).filter((email) => email === 'mia@example.com')).toHaveLength(1);
});

test('after the second mail was refused, the same command does not send a third', async () => {
  const service = await laggingService(
    10 * MINUTE,
    'lists',
    'drop-after:operation=createInvitation,nth=1',
    'answer:operation=createInvitation,nth=2,status=403',
  );
  await service.file('seed.yaml', atHam('mia@example.com').replaceAll('HAM', 'BER'));
  await service.apply();

  const refused = await service.apply('--resend-unknown');
  const again = await service.apply();

  expect(refused.stdout).toMatch(/^failed\tcreate\tinvitation/);
  expect([again.exitCode, mailsOf(service)]).toEqual([8, 2]);
});

test('a 403 for a property that is not visible yet does not lead to a new idempotency key', async () => {
  const service = await laggingService(
    10 * MINUTE,
    'all',
    'answer:operation=createProperty,nth=2,status=403',
  );
  await service.file('seed.yaml', hotelsYaml('HAM'));
  await service.apply();

  const exits = [await service.apply(), await service.apply(), await service.apply()];

  expect(exits.map(({ stdout }) => stdout.split('\t')[0])).toEqual(['unknown', 'failed', 'unknown']);
  expect(new Set(service.keys).size).toBe(1);
});

test('the hint of invitations create settles an invitation that got no response and is not visible', async () => {
  const clock = { now: NOON };
  const faults = ['lag:ms=600000', 'drop-after:operation=createInvitation,nth=1'];
  const service = await seedingAt(() => clock.now, ...faults);
  const situation: Situation = {
    now: () => clock.now,
    sleep: async (waited) => {
      clock.now += waited;
    },
  };
  const line = 'invitations create mia@example.com --role FrontDesk --properties BER --json';

  const lost = await service.innctl(line, situation);
  const { hint } = JSON.parse(lost.stderr).error;
  const settled = await service.innctl(hint.replace('innctl ', ''), situation);

  expect([lost.exitCode, hint]).toEqual([8, `innctl ${line} --resend-unknown --if-not-exists`]);
  expect([settled.exitCode, JSON.parse(settled.stdout)]).toEqual([
    0,
    { email: 'mia@example.com', invited: false, created: false },
  ]);
});
