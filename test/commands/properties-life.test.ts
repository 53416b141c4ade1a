import nock from 'nock';
import { describe, expect, test } from 'vitest';
import { API, AUTH, apaleo, cli, type Situation } from '../helpers/cli.ts';
import { ended } from '../helpers/ended.ts';
import { onlyIntercepted } from '../helpers/interceptors.ts';
import { property } from '../helpers/records.ts';

const PROPERTIES = '/inventory/v1/properties';
const ACTIONS = '/inventory/v1/property-actions';

type Verb = 'set-live' | 'archive' | 'reset';
type Record = Readonly<{ [name: string]: unknown }>;

const muc: Record = { ...property, id: 'MUC', name: { en: 'Isar Hotel' } };

/** What each verb needs, what it leaves, and how messages speak of it. */
const verbs: readonly {
  readonly verb: Verb;
  readonly action: string;
  readonly before: Record;
  readonly after: Record | undefined;
  readonly question: string;
  readonly done: string;
  readonly facts: Record;
}[] = [
  {
    verb: 'set-live',
    action: 'SetLive',
    before: {},
    after: { status: 'Live' },
    question: 'This sets property MUC (Isar Hotel) live, which cannot be undone.',
    done: 'Set property MUC live',
    facts: { id: 'MUC', status: 'Live', changed: true },
  },
  {
    verb: 'archive',
    action: 'Archive',
    before: { status: 'Live' },
    after: { status: 'Live', isArchived: true },
    question: 'This archives property MUC (Isar Hotel), which cannot be undone.',
    done: 'Archived property MUC',
    facts: { id: 'MUC', is_archived: true, changed: true },
  },
  {
    verb: 'reset',
    action: 'Reset',
    before: {},
    after: undefined,
    question: 'This deletes all transactional data of property MUC (Isar Hotel), which cannot be undone.',
    done: 'The service accepted the reset of property MUC',
    facts: { id: 'MUC', reset: true, changed: true },
  },
];

/** Answers the read before the action. */
function shows(record: Record, id = 'MUC'): void {
  nock(API, AUTH)
    .get(`${PROPERTIES}/${id}?languages=all&expand=actions`)
    .reply(200, { ...muc, ...record, id });
}

function takes(verb: Verb, status = 204, id = 'MUC'): void {
  nock(API, AUTH)
    .put(`${ACTIONS}/${id}/${verb}`, (body) => body === '')
    .reply(status);
}

/** Answers reads after the action. */
function showsAfter(record: Record | undefined, times = 1, id = 'MUC'): void {
  if (record === undefined) return;
  nock(API, AUTH)
    .get(`${PROPERTIES}/${id}`)
    .times(times)
    .reply(200, { ...muc, ...record, id });
}

const run = (verb: Verb, words: string, situation: Situation = {}) =>
  cli(`properties ${verb} ${words}`, { env: apaleo, ...situation });

const json = (text: string) => JSON.parse(text);

onlyIntercepted();

describe.each(verbs)('properties $verb', ({ verb, action, before, after, question, done, facts }) => {
  const confirmed = after === undefined ? '' : ': confirmed';
  const verified = after === undefined ? {} : { verification: 'confirmed' };

  test('asks the service whether it is allowed, sends one PUT, and reads it back', async () => {
    shows({ ...before, actions: [{ action, isAllowed: true }] });
    takes(verb);
    showsAfter(after);

    expect(await run(verb, 'MUC --confirm MUC')).toEqual(ended(0, `${done}${confirmed}.\n`));
  });

  test('--json prints what is true now', async () => {
    shows(before);
    takes(verb);
    showsAfter(after);

    const { exitCode, stdout, stderr } = await run(verb, 'MUC --confirm MUC --json');

    expect({ exitCode, facts: json(stdout), stderr }).toEqual({
      exitCode: 0,
      facts: { ...facts, ...verified },
      stderr: '',
    });
  });

  test('--yes is not enough, and nothing is sent', async () => {
    shows(before);

    expect(await run(verb, 'MUC --yes')).toEqual(
      ended(
        11,
        `error: ${question} That needs consent by name.
hint: To consent, for which --yes is not enough: innctl properties ${verb} MUC --yes --confirm MUC
`,
      ),
    );
  });

  test('several of which one is not allowed are all refused', async () => {
    shows(before, 'BER');
    shows({
      ...before,
      actions: [{ action, isAllowed: false, reasons: [{ code: 'No', message: 'Not now.' }] }],
    });

    const { exitCode, stderr } = await run(verb, 'BER MUC --confirm BER,MUC');

    expect({ exitCode, stderr }).toEqual({
      exitCode: 6,
      stderr: expect.stringMatching(
        /^error: The service does not allow \w+ 1 of these properties( live)? now; nothing was sent\.\n {2}MUC: Not now\.\n$/,
      ),
    });
  });
});

function outcomeOf({ name, action, outcome }: Record) {
  return [name, action, outcome];
}

describe.each(verbs.filter(({ after }) => after !== undefined))(
  'properties $verb, what reading shows',
  ({ verb, after, before, facts }) => {
    test('of a property that is so already nothing is sent, and no consent is needed', async () => {
      shows({ ...after });

      const { exitCode, stdout } = await run(verb, 'MUC --json');

      expect({ exitCode, facts: json(stdout) }).toEqual({ exitCode: 0, facts: { ...facts, changed: false } });
    });

    test('of several properties those that are so already are left alone', async () => {
      shows({ ...after }, 'BER');
      shows(before);
      takes(verb);
      showsAfter(after);

      const { stdout } = await run(verb, 'BER MUC --confirm MUC --json');

      expect(json(stdout).items.map(outcomeOf)).toEqual([
        ['BER', 'same', 'done'],
        ['MUC', 'change', 'done'],
      ]);
    });

    test('a doubt that no read settles names the line that does', async () => {
      shows(before);
      nock(API, AUTH).put(`${ACTIONS}/MUC/${verb}`).reply(500);
      nock(API, AUTH).get(`${PROPERTIES}/MUC`).reply(403);

      expect(await run(verb, 'MUC --confirm MUC')).toMatchObject({
        exitCode: 8,
        stderr: expect.stringContaining(`innctl properties ${verb} MUC --confirm MUC\n`),
      });
    });
  },
);

test('a reset in doubt says that no read shows it, and what a repeat does', async () => {
  shows({});
  nock(API, AUTH).put(`${ACTIONS}/MUC/reset`).reply(500);

  const { exitCode, stderr } = await run('reset', 'MUC --confirm MUC');

  expect({ exitCode, stderr }).toEqual({
    exitCode: 8,
    stderr: expect.stringMatching(
      /No read shows a reset\. The command that settles it deletes what was booked since, too\.\nhint: .*innctl properties reset MUC --confirm MUC\n$/,
    ),
  });
});
