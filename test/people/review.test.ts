import { describe, expect, test } from 'vitest';
import { placeText } from '../../src/files/entry.ts';
import type { AccessDocument, Fact } from '../../src/people/access-document.ts';
import { factsFrom } from '../../src/people/facts.ts';
import { closeReview, judgeReview, reviewRows, type WrittenRow } from '../../src/people/review.ts';
import { scopeOf } from '../../src/people/review-folder.ts';

const properties = ['BER', 'MUC'].map((id) => ({ id, code: id, name: id }));

const ben = {
  subject_id: 'u-ben',
  email: 'Ben@example.com',
  enabled: true,
  is_account_admin: false,
  is_mfa_enabled: false,
  properties: [
    { id: 'BER', roles: ['FrontDesk'] },
    { id: 'MUC', roles: ['Auditor'] },
  ],
};

const hanna = { ...ben, subject_id: 'u-hanna', email: 'hanna@example.com', is_account_admin: true };
const paul = {
  email: 'paul@example.com',
  created: '2026-11-01T08:00:00Z',
  properties: ['BER'],
  role: 'Auditor',
};

function facts(
  users: readonly object[] = [ben, hanna],
  invitations: readonly object[] = [paul],
): readonly Fact[] {
  const records = { users, invitations } as Pick<Parameters<typeof factsFrom>[0], 'users' | 'invitations'>;
  return factsFrom({ ...records, properties, invitationDays: 30, now: Date.parse('2026-11-23T12:00:00Z') });
}

/** The review of an account, with some decisions: `ben@example.com MUC`. */
function review(decisions: Readonly<Record<string, string>>, of = facts()): readonly WrittenRow[] {
  return reviewRows(of).map((row, index) => ({
    place: { file: 'review.csv', unit: 'row', number: index + 2 },
    row_id: row.row_id,
    email: row.email,
    subject_id: row.subject_id ?? '',
    property: row.property ?? '',
    source: row.source,
    decision: decisions[`${row.email.toLowerCase()} ${row.property}`] ?? '',
    reviewer: '',
    comment: '',
  }));
}

function judge(rows: readonly WrittenRow[], now = facts()) {
  const { verdicts, ...others } = judgeReview(rows, now);
  const changing = verdicts.filter(
    ({ conflict, revokes, disables, withdraws }) => conflict ?? (revokes.length > 0 || disables || withdraws),
  );
  return { ...others, verdicts: changing };
}

/** The problems of a review, and the conflicts of its records. */
function complaints(rows: readonly WrittenRow[], now = facts()) {
  const { problems, verdicts } = judge(rows, now);
  return [
    ...problems.map(({ field, reason }) => `${field} ${reason}`),
    ...verdicts.flatMap(({ conflict, place }) =>
      conflict === undefined ? [] : `${placeText(place)}: ${conflict}`,
    ),
  ];
}

test('the id of a row begins with a letter, and no two rows share one', () => {
  const ids = reviewRows(facts()).map((row) => row.row_id);

  expect(ids.every((id) => /^r[0-9a-f]{15}$/.test(id))).toBe(true);
  expect(new Set(ids).size).toBe(ids.length);
});

describe('the id of a row', () => {
  const idOf = (user: object) => reviewRows(facts([user], []))[0]?.row_id;

  test.each([
    ['a name', { last_name: 'Schuster-Maier' }],
    ['the case of the address', { email: 'BEN@example.com' }],
  ])('stays with another %s', (_, change) => {
    expect(idOf({ ...ben, ...change })).toBe(idOf(ben));
  });

  test.each([
    ['state', { enabled: false }],
    ['role', { properties: [{ id: 'BER', roles: ['Auditor'] }] }],
    ['property', { properties: [{ id: 'VIE', roles: ['FrontDesk'] }] }],
  ])('is another one with another %s', (_, change) => {
    expect(idOf({ ...ben, ...change })).not.toBe(idOf(ben));
  });

  test('stays when an invitation runs out', () => {
    const [one, other] = ['2026-11-22T08:00:00Z', '2026-01-01T08:00:00Z'].map(
      (created) => reviewRows(facts([], [{ ...paul, created }]))[0],
    );

    expect([one?.state, other?.state]).toEqual(['invited', 'expired']);
    expect(one?.row_id).toBe(other?.row_id);
  });
});

describe('decisions', () => {
  test('of one person become one verdict', () => {
    const rows = review({ 'ben@example.com BER': 'revoke', 'ben@example.com MUC': 'revoke' });

    expect(judge(rows)).toMatchObject({
      problems: [],
      verdicts: [{ email: 'Ben@example.com', subjectId: 'u-ben', revokes: ['BER', 'MUC'], disables: false }],
    });
  });

  test.each([
    ['ben@example.com BER', 'entfernen', 'is "entfernen"'],
    ['ben@example.com BER', 'withdraw', 'is for invitations: revoke or disable a user'],
    ['paul@example.com BER', 'revoke', 'is for users: an invitation cannot be changed, withdraw it'],
    ['paul@example.com BER', 'disable', 'is for users: an invitation cannot be changed, withdraw it'],
  ])('%s cannot have %s', (key, decision, reason) => {
    const [complaint = '', ...more] = complaints(review({ [key]: decision }));

    expect(more).toEqual([]);
    expect(complaint).toMatch(/^review\.csv: row \d: decision /);
    expect(complaint).toContain(reason.startsWith('is "') ? 'keep' : reason);
  });

  test('a record cannot be kept and disabled', () => {
    const rows = review({ 'ben@example.com BER': 'disable', 'ben@example.com MUC': 'keep' });

    expect(complaints(rows)).toEqual([
      'review.csv: row 2: decision is about the whole user, and review.csv: row 3 keeps it',
    ]);
  });

  test('nothing can be revoked where there is nothing', () => {
    const none = facts([{ ...ben, properties: [] }], []);

    expect(complaints(review({ 'ben@example.com null': 'revoke' }, none), none)).toEqual([
      'review.csv: row 2: decision has no property to revoke: disable the user, or keep',
    ]);
  });
});

describe('a file that was damaged', () => {
  const rows = review({ 'ben@example.com BER': 'revoke' });
  const [first, ...others] = rows;

  test('by sorting one column decides about nobody', () => {
    const moved = rows.map((row, index) => ({ ...row, row_id: rows.at(index - 1)?.row_id ?? '' }));

    expect(complaints(moved)).toHaveLength(rows.length);
    expect(complaints(moved)[1]).toBe(
      'review.csv: row 3: row_id belongs to "Ben@example.com" at BER: restore the row',
    );
  });

  test.each([
    ['', 'is missing'],
    ['1E+15', 'is not one of access report --for-review'],
  ])('with the row_id %j is refused', (row_id, reason) => {
    const { problems } = judge([...others, { ...first, row_id } as WrittenRow]);

    expect(problems).toEqual([{ field: 'review.csv: row 2: row_id', reason }]);
  });

  test('with a row that is decided twice is refused, and one that is repeated is not', () => {
    const again = { ...first, place: { file: 'review.csv', unit: 'row', number: 9 } } as WrittenRow;

    expect(complaints([...rows, again])).toEqual([]);
    expect(complaints([...rows, { ...again, decision: 'keep' }])).toEqual([
      'review.csv: row 9: decision is another one than in review.csv: row 2, of the same row_id',
    ]);
  });
});

describe('access that changed since the review', () => {
  test.each(['keep', 'revoke', 'disable'])('is a conflict of %s', (decision) => {
    const rows = review({ 'ben@example.com BER': decision });
    const now = facts([{ ...ben, properties: [{ id: 'BER', roles: ['PropertyAdmin'] }] }, hanna]);

    expect(complaints(rows, now)).toEqual(['review.csv: row 2: its access has changed since the review']);
  });

  test('that was kept and is lost is a conflict', () => {
    const rows = review({ 'ben@example.com BER': 'keep' });

    expect(complaints(rows, facts([{ ...ben, properties: [] }]))).toEqual([
      'review.csv: row 2: its access has changed since the review',
    ]);
    expect(complaints(rows, facts([]))).toEqual([
      'review.csv: row 2: its access has changed since the review',
    ]);
  });

  test('an invitation that was accepted is a conflict of withdraw', () => {
    const rows = review({ 'paul@example.com BER': 'withdraw' });
    const user = { ...ben, subject_id: 'u-paul', email: 'paul@example.com' };

    expect(complaints(rows, facts([ben, hanna, user], []))).toEqual([
      'review.csv: row 7: was accepted since the review',
    ]);
  });
});

test('a review that has been applied changes nothing more', () => {
  const rows = review({
    'ben@example.com BER': 'revoke',
    'ben@example.com MUC': 'keep',
    'hanna@example.com *': 'revoke',
    'hanna@example.com BER': 'disable',
    'paul@example.com BER': 'withdraw',
  });
  const now = facts(
    [
      { ...ben, properties: [{ id: 'MUC', roles: ['Auditor'] }] },
      { ...hanna, enabled: false, is_account_admin: false },
    ],
    [],
  );

  const { verdicts } = judgeReview(rows, now);

  expect(
    verdicts.map(({ email, conflict, revokes, disables }) => ({ email, conflict, revokes, disables })),
  ).toEqual([
    { email: 'Ben@example.com', conflict: undefined, revokes: [], disables: false },
    { email: 'hanna@example.com', conflict: undefined, revokes: [], disables: false },
    { email: 'paul@example.com', conflict: undefined, revokes: [], disables: false },
  ]);
});

describe('a review that is closed', () => {
  const rows = review({ 'paul@example.com BER': 'withdraw', 'ben@example.com BER': 'disable' });
  const own = rows.filter(({ email }) => email !== hanna.email);
  const gone = { ...ben, enabled: false };
  const joined = { ...ben, subject_id: 'u-paul', email: paul.email };
  const undone = 'disable of Ben@example.com is not carried out';

  test.each<[string, readonly object[], readonly string[]]>([
    ['carried out', [gone], []],
    ['carried out, and somebody is gone', [], []],
    ['accepted in place of withdrawn', [gone, joined], ['withdraw: the invitation was accepted']],
    ['accepted, and disabled', [gone, { ...joined, enabled: false }], []],
    ['not carried out', [ben], [undone, undone]],
  ])('was %s', (_, users, reasons) => {
    const { open, closed } = closeReview(own, facts(users, []));

    expect(open.map(({ reason }) => reason)).toEqual(reasons);
    expect(closed.map(({ done }) => done)).toEqual(['disabled', 'disabled', 'withdrawn']);
  });

  test('names access that was kept and is another one now', () => {
    const kept = review({ 'ben@example.com BER': 'keep', 'ben@example.com MUC': 'keep' }).slice(0, 2);
    const now = facts([{ ...ben, properties: [{ id: 'BER', roles: ['PropertyAdmin'] }] }], []);

    expect(closeReview(kept, now)).toMatchObject({ open: [], notReviewed: [{ roles: ['PropertyAdmin'] }] });
  });
});

test('sheets have names that every system takes, and no two the same', () => {
  const odd = ['*', 'BER', 'ber', 'a/b', 'a:b', 'CON', '..', 'no-property', 'y'.repeat(300), 'Zürich', '-h'];
  const items = odd.map((property) => ({ ...facts()[0], property }) as Fact);
  const access = { version: 1, actor: null, complete: true } as AccessDocument['access'];

  const scope = scopeOf({ access, count: 0, items }, { name: 'x', by: 'property', account: '' });

  const sheets = scope.items.map(({ sheet }) => sheet);
  expect(sheets.slice(0, 2)).toEqual(['every-property', 'BER']);
  expect(new Set(sheets.map((sheet) => sheet.toLowerCase())).size).toBe(odd.length);
  for (const sheet of sheets) expect(sheet).toMatch(/^(?!con$)[a-z\d][\w.@-]{0,60}$/i);
});
