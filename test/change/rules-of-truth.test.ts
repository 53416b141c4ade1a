import { AsyncResource } from 'node:async_hooks';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { claimName } from '../../src/fs/lock.ts';
import { createJournalFile } from '../../src/journal/file.ts';
import { journalPath } from '../../src/journal/journal.ts';
import { lineText, type NewLine, VERSION } from '../../src/journal/line.ts';
import type { Connect, WireRequest } from '../../src/model/ports.ts';
import { connectUndici } from '../../src/service/wire/undici.ts';
import type { Situation } from '../helpers/cli.ts';
import { temporaryFolder } from '../helpers/folder.ts';
import { hotelsYaml, peopleYaml, type Seeding, seedingIn } from '../helpers/seeding.ts';
import { memoryOf, NOON } from './plan-service.ts';
import { announceIn, aurora, contextAt, hotels as hotelsRun, journalIn } from './run.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const lag = `lag:ms=${10 * MINUTE},reads=all`;
/** The first creation is carried out, and its answer is lost. */
const lost = 'drop-after:method=POST,nth=1';

/** A service at noon whose clock a test moves; every command is a run of its own. */
async function serviceWith(...faults: readonly string[]) {
  const clock = { now: NOON };
  const service = await seedingIn('apaleo', () => clock.now, ...faults);
  const bodies: unknown[] = [];
  const innctl = async (line: string, more: Parameters<Seeding['innctl']>[1] = {}) => {
    const before = service.writes.length;
    const situation: Situation = {
      now: () => clock.now,
      sleep: async (ms) => {
        clock.now += ms;
      },
      uuid: crypto.randomUUID(),
    };
    const onWrite = (
      request: Parameters<NonNullable<typeof more.onWrite>>[0] & { readonly body?: unknown },
    ) => {
      bodies.push(request.body);
      more.onWrite?.(request);
    };
    const { exitCode, stderr, stdout } = await service.innctl(`${line} --max-attempts 1`, {
      ...situation,
      ...more,
      onWrite,
    });
    return { exitCode, stderr, stdout, sent: service.writes.slice(before) };
  };
  return {
    ...service,
    bodies,
    innctl,
    wait: (ms: number) => {
      clock.now += ms;
    },
    /** Applies a manifest; `exit sent`: the exit code and how many writes it sent. */
    async apply(text: string, flags = '') {
      const { exitCode, sent } = await innctl(
        `apply ${await service.file('seed.yaml', text)} --yes ${flags}`,
      );
      return `${exitCode} ${sent.length}`;
    },
    async forget() {
      await rm(join(service.folder, 'config', 'state'), { recursive: true, force: true });
    },
    /** Deletes a property as another hand does. */
    async deleteBehind(id: string) {
      await service.innctl(`api DELETE /inventory/v1/properties/${id} --confirm ${id}`, {
        folder: join(service.folder, 'other'),
      });
    },
  };
}

const hotels = ['BER', 'MUC', 'VIE'];
const ham = `${hotelsYaml('HAM')}    payment_terms: { en: Now }\n`;
const create = 'units create --property BER --group DBL --description en=Room --max-persons 2';

describe('rule 1: what is shown exists', () => {
  test('a fresh answer is done, shown or not, and what is shown is not created', async () => {
    const service = await serviceWith(lag);

    expect(await service.apply(ham)).toBe('0 1');
    service.wait(10 * MINUTE);
    expect(await service.apply(ham)).toBe('0 0');
  });

  test.each(['--run-id night-1', ''])(
    'an answer to a key that may be older is done once it is shown: %s',
    async (flags) => {
      const service = await serviceWith(lag, ...(flags === '' ? [lost] : []));
      await service.apply(ham, flags);
      if (flags !== '') await service.forget();

      expect(await service.apply(ham, flags)).toBe('8 1');
      service.wait(10 * MINUTE);
      expect(await service.apply(ham, flags)).toBe('0 0');
      expect(new Set(service.keys).size).toBe(1);
    },
  );
});

test('rule 1: of units the list decides whose id is which', async () => {
  const service = await serviceWith();
  const connect: Connect = async (options) => {
    const { close, request } = await connectUndici(options);
    const turned = async (each: WireRequest) => {
      const answer = await request(each);
      if (each.method !== 'POST') return answer;
      const { ids } = JSON.parse(Buffer.from(answer.bytes).toString());
      return { ...answer, bytes: Buffer.from(JSON.stringify({ ids: ids.toReversed() })) };
    };
    return { close, request: turned };
  };

  const { stdout } = await service.innctl(`${create} --names 901..903 --json`, { connect });

  const listed = await service.innctl('units list --property BER --json');
  const idsIn = (text: string): readonly { readonly id: string; readonly name: string }[] =>
    JSON.parse(text).items;
  const made = idsIn(stdout).map(({ id, name }) => `${id} ${name}`);
  expect(made).toEqual(
    idsIn(listed.stdout).flatMap(({ id, name }) => (name.startsWith('90') ? [`${id} ${name}`] : [])),
  );
  expect(made).toHaveLength(3);
});

describe('rule 2: what was shown, or deleted by innctl, and is not shown is gone', () => {
  test('a deletion is followed by a creation under a new key, under lag too', async () => {
    const service = await serviceWith();
    await service.apply(ham);

    expect((await service.innctl('properties delete HAM --confirm HAM')).exitCode).toBe(0);
    expect(await service.apply(ham)).toBe('0 1');
    expect([new Set(service.keys).size, await service.hotels()]).toEqual([2, [...hotels, 'HAM']]);
  });

  test('what was shown since and was deleted elsewhere is created again at once', async () => {
    const service = await serviceWith();
    await service.apply(ham);
    await service.apply(ham);
    await service.deleteBehind('HAM');

    expect(await service.apply(ham)).toBe('0 1');
    expect(new Set(service.keys).size).toBe(2);
  });
});

describe('rule 3: what was never shown may show for 15 minutes', () => {
  test('without an answer the same body goes out under its first key, and no other body does', async () => {
    const service = await serviceWith(lag, lost);

    expect(await service.apply(ham)).toBe('8 1');
    expect(await service.apply(ham.replace('Nord', 'Isar'))).toBe('8 0');
    expect(await service.apply(ham)).toBe('8 1');
    expect([new Set(service.keys).size, new Set(service.bodies).size]).toEqual([1, 1]);
  });
});

describe('rule 4: after 15 minutes it is gone, or was never made', () => {
  test('an answered creation gets a new key', async () => {
    const service = await serviceWith('lag:ms=60000,reads=all');
    await service.apply(ham);
    await service.deleteBehind('HAM');
    service.wait(14 * MINUTE);

    expect(await service.apply(ham)).toBe('8 0');
    service.wait(2 * MINUTE);
    expect(await service.apply(ham)).toBe('0 1');
    expect(new Set(service.keys).size).toBe(2);
  });

  test('an unanswered one keeps its first key for 23 hours', async () => {
    const service = await serviceWith('drop-before:method=POST,times=2', 'ignore-keys');
    const keys = async (after: number) => {
      service.wait(after);
      await service.apply(ham);
      return new Set(service.keys).size;
    };

    expect([await keys(0), await keys(22 * HOUR), await keys(2 * HOUR)]).toEqual([1, 1, 2]);
    expect(await service.hotels()).toEqual([...hotels, 'HAM']);
  });
});

describe('rule 5: units of one request go out again together, or not at all', () => {
  test('unchanged, with its key, while each is wanted', async () => {
    const service = await serviceWith(lag, lost);
    const line = `${create} --names 901..903`;

    expect((await service.innctl(line)).exitCode).toBe(8);
    expect((await service.innctl(`${create} --names 901..902`)).sent).toEqual([]);
    expect((await service.innctl(line)).sent).toHaveLength(1);
    expect([new Set(service.keys).size, new Set(service.bodies).size]).toEqual([1, 1]);
    service.wait(10 * MINUTE);
    expect((await service.units('BER')).filter((name) => name.startsWith('90'))).toEqual([
      '901',
      '902',
      '903',
    ]);
  });

  test('a refused repeat settles nothing', async () => {
    const service = await serviceWith(lag, lost, 'answer:status=409,method=POST,nth=2');

    expect([await service.apply(ham), await service.apply(ham)]).toEqual(['8 1', '8 1']);
    service.wait(10 * MINUTE);
    expect(await service.apply(ham)).toBe('0 0');
  });
});

describe('rule 6: an invitation has no key', () => {
  const ana = peopleYaml('mia@example.com');

  test('while it is unknown nothing is mailed, and one hint ends it', async () => {
    const service = await serviceWith(lag, 'drop-before:method=POST,nth=1');
    const file = await service.file('people.yaml', ana);

    expect((await service.innctl(`apply ${file} --yes`)).exitCode).toBe(8);
    const again = await service.innctl(`apply ${file} --yes`);
    const resent = await service.innctl('invitations resend mia@example.com --yes');

    expect([again.exitCode, again.sent]).toEqual([8, []]);
    expect(again.stderr.match(/innctl .*/g)).toEqual(['innctl invitations resend mia@example.com --yes']);
    expect([resent.exitCode, resent.sent]).toEqual([0, ['POST /api/v1/account/invitations']]);
    expect(again.stderr).toContain('Sending it again now may send a second mail.');
  });
});

test('rule 7: what was changed since is not called created', async () => {
  const service = await serviceWith(lag, lost);
  const line = 'unit-groups create --property BER --code TRP --name en=T --description en=B --max-persons 3';

  expect((await service.innctl(line)).exitCode).toBe(8);
  service.wait(10 * MINUTE);
  await service.innctl('unit-groups update --property BER TRP --max-persons 1');
  expect((await service.innctl(line)).exitCode).toBe(6);
});

describe('rule 8: two processes on one machine', () => {
  /** A journal with a request of another process that has no answer. */
  async function besides() {
    const state = await temporaryFolder();
    const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 60_000)']);
    onTestFinished(() => void child.kill('SIGKILL'));
    const started = readFileSync(`/proc/${child.pid}/stat`, 'utf8').split(') ')[1]?.split(' ')[19];
    const by = [child.pid, started, ...claimName().split('.').slice(2)].join('.');
    const head = { at: NOON, run: 'run-1' };
    const about = {
      does: 'create HAM',
      action: 'create',
      kind: 'property',
      rows: [{ name: 'HAM' }],
    } as const;
    const write = (line: NewLine) =>
      createJournalFile(journalPath(state, aurora)).append(() => lineText(line, String));
    await write({ is: 'start', ...head, version: VERSION, ...hotelsRun, ...aurora });
    const sleeps: number[] = [];
    const context = contextAt(() => NOON);
    const sleep = async (ms: number) => {
      if (sleeps.push(ms) === 3) await write({ is: 'answer', ...head, of: 'other-1', outcome: 'done' });
    };
    const journal = journalIn(state, { ...context, clock: { ...context.clock, sleep } });
    const send = () => write({ is: 'send', ...head, id: 'other-1', by, ...about });
    return { child, journal, send, sleeps };
  }

  test('while the writer of an unanswered line lives, its answer is waited for', async () => {
    const { journal, send, sleeps } = await besides();
    await journal.read();
    await send();

    await expect(announceIn(journal, 'HAM')).rejects.toMatchObject({ code: 'overtaken', exitCode: 6 });
    expect(sleeps).toHaveLength(3);
  });

  test('once it is dead, what was planned with its line is sent', async () => {
    const { child, journal, send, sleeps } = await besides();
    await send();
    child.kill('SIGKILL');
    await once(child, 'close');
    await journal.read();

    await announceIn(journal, 'HAM');
    expect(sleeps).toEqual([]);
  });

  test('the same range twice at once exists once', async () => {
    const service = await serviceWith();
    const line = `${create} --names 1001..1120`;

    await Promise.all([service.innctl(line), service.innctl(line)]);

    expect((await service.units('BER')).filter((name) => /^1\d\d\d$/.test(name))).toHaveLength(120);
  });
});

describe('rule 9: without a journal reads decide', () => {
  test('--run-id protects, and asks for another where its record was deleted on purpose', async () => {
    const service = await serviceWith();
    await service.apply(ham, '--run-id night-1');
    await service.deleteBehind('HAM');
    await service.forget();

    const { exitCode, stderr } = await service.innctl(
      `apply ${join(service.folder, 'seed.yaml')} --yes --run-id night-1`,
    );

    expect(exitCode).toBe(8);
    expect(stderr).toContain('give another --run-id');
    service.wait(15 * MINUTE);
    expect(await service.apply(ham, '--run-id night-2')).toBe('0 1');
  });

  test('twins of two machines are found in the last list, and both ids are named', async () => {
    const service = await serviceWith();
    const line = `${create} --name 999`;
    let other: Promise<unknown> | undefined;
    // The other machine is done before the first one sends.
    const connect: Connect = async (options) => {
      const { close, request } = await connectUndici(options);
      const late = async (each: WireRequest) => {
        if (each.method !== 'POST') return request(each);
        other ??= service.innctl(line, { folder: join(service.folder, 'other') });
        await other;
        return request(each);
      };
      return { close, request: late };
    };

    const { exitCode, stderr } = await service.innctl(line, { connect });

    expect(exitCode).toBe(9);
    expect(stderr).toMatch(/Unit BER\/999 exists 2 times: \S+, \S+\. Delete all but one/);
  });
});

test('rule 10: a creation that was not deleted stays known, whoever else writes', () => {
  const memory = memoryOf(
    { kind: 'property', name: 'HAM', id: 'P-1', at: 0 },
    { kind: 'property', name: 'HAM', action: 'change' },
    { kind: 'property', name: 'KIE', id: 'P-2', at: 0 },
    { kind: 'property', name: 'P-2', id: 'P-2', action: 'delete' },
  );

  expect(memory.created().map(({ name, id }) => [name, id])).toEqual([['HAM', 'P-1']]);
  expect(memory.oldest()).toBeLessThan(NOON);
});

test('rule 10: --prune finds the unit of which no answer said the id, once it shows', async () => {
  const service = await serviceWith(lag);
  const bed = (name: string) =>
    `units:\n  - { property: BER, name: "${name}", max_persons: 1, description: { en: Bed } }\n`;
  await service.apply(bed('901'));

  expect(await service.apply(bed('903'), '--prune --max-deletes 1')).toBe('8 1');
  service.wait(10 * MINUTE);
  expect(await service.apply(bed('903'), '--prune --max-deletes 1')).toBe('0 1');
  const { stdout } = await service.innctl('units list --property BER --json');
  expect(stdout).toContain('"903"');
  expect(stdout).not.toContain('"901"');
});

test('rule 6: an invitation that is to go, and that no list shows yet, is not sent again', async () => {
  const service = await serviceWith(lag);
  await service.innctl(
    `apply ${await service.file('seed.yaml', peopleYaml('ana@example.com', 'eva@example.com'))} --yes`,
  );
  const line = `apply ${await service.file('seed.yaml', peopleYaml('ana@example.com'))} --yes --prune --max-deletes 1`;

  const { exitCode, stderr } = await service.innctl(line);
  expect(exitCode).toBe(8);
  expect(stderr).not.toContain('invitations resend');
});

test('rule 1: a deletion without an answer is not confirmed by a list that may not show the record yet', async () => {
  const service = await serviceWith(lag, 'drop-before:method=DELETE,nth=1');
  await service.innctl('invitations create mia@example.com --role Housekeeping --properties BER');
  const withdraw = 'invitations delete mia@example.com --yes';

  expect((await service.innctl(withdraw)).exitCode).toBe(8);
  expect((await service.innctl(withdraw)).exitCode).toBe(0);
  service.wait(10 * MINUTE);
  expect((await service.innctl(withdraw)).exitCode).toBe(3);
});

test('rule 2: the end of a deletion says nothing of what was created since it was sent', async () => {
  const service = await serviceWith(lag, 'drop-after:method=DELETE,nth=1');
  const line = `${create} --name 901`;
  const { id } = JSON.parse((await service.innctl(`${line} --json`)).stdout) as { readonly id: string };
  service.wait(16 * MINUTE);
  const exits: (number | undefined)[] = [];
  // It is another process.
  const createAgain = AsyncResource.bind(() => service.innctl(line));
  const sleep = async () => {
    if (exits.length === 0) exits.push((await createAgain()).exitCode);
  };
  exits.push((await service.innctl(`units delete ${id} --confirm ${id}`, { sleep })).exitCode);

  expect(exits).toEqual([0, 0]);
  expect(await service.innctl(line)).toMatchObject({ exitCode: 8, sent: [] });
});

test('rule 6: an invitation that another hand withdrew is not sent again', async () => {
  const service = await serviceWith();
  await service.innctl('invitations create mia@example.com --role Housekeeping --properties BER');
  const line = 'invitations resend mia@example.com --yes';
  const connect: Connect = async (options) => {
    const { close, request } = await connectUndici(options);
    const late = async (each: WireRequest) => {
      if (each.method === 'DELETE') await request(each);
      return request(each);
    };
    return { close, request: late };
  };

  expect((await service.innctl(line, { connect })).exitCode).toBe(9);
  expect(await service.innctl(line)).toMatchObject({ exitCode: 3, sent: [] });
});
