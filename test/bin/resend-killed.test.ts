import { beforeAll, expect, test } from 'vitest';
import { type Moment, moments } from '../soak/gateway.ts';
import { openKilling } from './killing.ts';
import { setup } from './setup.ts';

const people = ['jonas.keller', 'lea.wagner', 'paul.steiner'].map((name) => `${name}@aurora.example`);
/** Each is withdrawn, and invited again. */
const WRITES = 2 * people.length;
const LINE = `invitations resend ${people.join(' ')} --yes --json`;

beforeAll(setup);

/** A service with the invitations of the people. */
async function openCase() {
  const place = await openKilling();
  const { service } = place;
  const invitations = async () => {
    const { records } = await service.held();
    return people.map((email) => records.invitations.get(email));
  };
  const before = await invitations();
  return {
    ...place,
    /** Each has the content that it had, and was made once since; no other invitation was touched. */
    async expectSentOnce() {
      const after = await invitations();
      const { invited } = await service.held();
      const made = people.map((email) => invited.get(email));
      expect(after.map((each) => ({ ...each, created: '' }))).toEqual(
        before.map((each) => ({ ...each, created: '' })),
      );
      expect(after.map((each, index) => (each?.created ?? '') > (before[index]?.created ?? ''))).toEqual(
        people.map(() => true),
      );
      // Once by the seed, once again.
      expect(made).toEqual(people.map(() => 2));
      expect([...invited.values()].filter((times) => times > 1)).toHaveLength(people.length);
    },
  };
}

const strikes = moments.flatMap((moment) =>
  // After the last answer the run may be over, and the same line is a new one.
  Array.from({ length: moment === 'after the answer' ? WRITES - 1 : WRITES }, (_, index) => ({
    moment,
    write: index + 1,
  })),
);

/** 8: a mail was announced and not sent. Only the journal knows of it, and the list may lag. */
function exitsOf(moment: Moment, write: number): readonly number[] {
  if (moment === 'before the commit') return [write % 2 === 0 ? 8 : 0];
  // After the answer to a DELETE the program may have announced the mail before it died.
  return moment === 'after the answer' && write % 2 === 1 ? [0, 8] : [0];
}

test.each(strikes)(
  'resending, killed $moment of write $write and repeated, loses no invitation and sends no second mail',
  { timeout: 60_000 },
  async ({ moment, write }) => {
    await using place = await openCase();
    const { run, expectSentOnce } = place;
    const line = `${LINE} --concurrency 1`;
    const killed = await place.killed(line, { moment, write });

    const ended = await run(line);
    const settled = ended.exitCode === 8 ? await run(`${line} --resend-unknown`) : ended;

    expect([killed.exitCode, settled.exitCode]).toEqual([null, 0]);
    expect(exitsOf(moment, write)).toContain(ended.exitCode);
    await expectSentOnce();
  },
);

test.each([1, 2, 3, 4])(
  'resending several at a time, killed at write %i and repeated, does so too',
  { timeout: 60_000 },
  async (write) => {
    await using place = await openCase();
    const { run, killed, expectSentOnce } = place;
    await killed(LINE, { moment: 'after the commit', write });

    const ended = await run(LINE);
    const settled = ended.exitCode === 8 ? await run(`${LINE} --resend-unknown`) : ended;

    expect(settled).toMatchObject({ exitCode: 0 });
    await expectSentOnce();
  },
);
