import { describe, expect, test } from 'vitest';
import type { Fact } from '../../src/people/access-document.ts';
import { differencesOf, fieldsBetween, newAccessJudge } from '../../src/people/differences.ts';
import { holderOf } from '../../src/people/facts.ts';
import { invitationFact, userFact } from '../helpers/facts.ts';
import { fc } from '../helpers/laws.ts';

const ben = userFact('ben@example.com', { name: 'Ben Schuster' });
const invited = invitationFact('mia@example.com', {
  roles: ['Housekeeping'],
  invited_by: 'Ana Lang',
  since: '2026-11-01T08:00:00Z',
});

describe('the differences between two reports', () => {
  test('facts that only one of them has are gained or lost, and others are changed', () => {
    const atVienna = { ...ben, property: 'VIE' };
    const disabled = { ...ben, state: 'disabled' } as const;

    expect(differencesOf([ben, invited], [disabled, atVienna])).toEqual([
      { change: 'changed', before: ben, after: disabled },
      { change: 'gained', after: atVienna },
      { change: 'lost', before: invited },
    ]);
  });

  test('an invitation that was accepted is lost, and the user is gained', () => {
    const accepted = { ...ben, email: 'mia@example.com' };

    expect(differencesOf([invited], [accepted])).toEqual([
      { change: 'lost', before: invited },
      { change: 'gained', after: accepted },
    ]);
  });

  test.each<[string, Partial<Fact>, readonly string[]]>([
    ['days that passed', { age_days: 4 }, []],
    ['a hotel with another name', { property_name: 'Berlin Mitte' }, []],
    ['an address in another case', { email: 'MIA@example.com' }, []],
    ['another name', { name: 'Mia Kunz' }, ['name']],
    ['another state', { state: 'expired' }, ['state']],
    ['the flag of an account admin', { account_admin: true }, ['account_admin']],
    ['another role', { roles: ['Auditor'] }, ['roles']],
    ['roles that are not shown', { roles: null }, ['roles']],
    ['MFA and passkeys', { mfa: false, passkeys: true }, ['mfa', 'passkeys']],
    ['a new invitation', { invited_by: 'Ben', since: '2026-11-02T08:00:00Z' }, ['invited_by', 'since']],
  ])('%s', (_, change, fields) => {
    const after = { ...invited, ...change };

    expect(fieldsBetween(invited, after)).toEqual(fields);
    expect(differencesOf([invited], [after])).toEqual(
      fields.length === 0 ? [] : [{ change: 'changed', before: invited, after }],
    );
  });

  test('somebody without any property any more has lost one, and gained nothing', () => {
    const none = { ...ben, property: null, property_name: '', roles: [] };
    const disabled = { ...none, state: 'disabled' } as const;
    const admin = { ...ben, property: '*', property_name: '', roles: [], account_admin: true };

    expect(differencesOf([ben], [none])).toEqual([{ change: 'lost', before: ben }]);
    expect(differencesOf([none], [ben])).toEqual([{ change: 'gained', after: ben }]);
    expect(differencesOf([], [none])).toEqual([{ change: 'gained', after: none }]);
    expect(differencesOf([ben], [disabled])).toEqual([
      { change: 'lost', before: ben },
      { change: 'changed', before: none, after: disabled },
    ]);
    expect(differencesOf([none], [admin]).map(newAccessJudge([none]))).toEqual([true, false]);
  });

  test('two users with one address are two people', () => {
    const other = { ...ben, subject_id: 'ben-2', roles: ['Auditor'] };

    expect(differencesOf([ben, other], [other])).toEqual([{ change: 'lost', before: ben }]);
  });
});

describe('new access', () => {
  test.each<[string, boolean, readonly Partial<Fact>[], Partial<Fact>]>([
    ['a property', true, [], {}],
    ['no property any more', false, [], { property: null, roles: [] }],
    ['a property of a disabled user', false, [], { state: 'disabled' }],
    ['a property of an invitation that has run out', false, [], { state: 'expired' }],
    ['a property of somebody who was an account admin', false, [{ property: '*', account_admin: true }], {}],
    ['a property of a disabled admin', true, [{ property: '*', account_admin: true, state: 'disabled' }], {}],
    ['a user who is enabled again', true, [{ state: 'disabled' }], {}],
    ['another role', true, [{}], { roles: ['Auditor', 'FrontDesk'] }],
    ['roles that were not shown', true, [{ roles: null }], {}],
    ['no role where none was shown', false, [{ roles: null }], { roles: [] }],
    ['the flag of an account admin', true, [{}], { account_admin: true }],
    ['a flag that was taken', false, [{ account_admin: true }], {}],
  ])('%s: %s', (_, isNew, before, after) => {
    const old = before.map((change) => ({ ...ben, ...change }));
    const now = { ...ben, ...after };
    const gained = differencesOf(old, [now]).filter(({ change }) => change !== 'lost');

    expect(gained.map(newAccessJudge(old))).toEqual([isNew]);
  });

  test('what is lost is never new', () => {
    expect(differencesOf([ben], []).map(newAccessJudge([ben]))).toEqual([false]);
  });
});

/** Facts with few values, so that many are about the same person. */
const fact: fc.Arbitrary<Fact> = fc.record({
  email: fc.constantFrom('ana@example.com', 'ANA@example.com', 'ben@example.com'),
  name: fc.constantFrom('', 'Ana'),
  subject_id: fc.constantFrom('1', '2'),
  state: fc.constantFrom('active', 'disabled', 'invited', 'expired'),
  account_admin: fc.boolean(),
  property: fc.constantFrom('BER', 'MUC', '*', null),
  property_name: fc.constantFrom('', 'Berlin'),
  roles: fc.constantFrom(null, [], ['Auditor'], ['FrontDesk', 'Auditor'], ['Auditor', 'FrontDesk']),
  mfa: fc.constantFrom(true, null),
  passkeys: fc.constant(null),
  age_days: fc.nat(3),
  source: fc.constantFrom('user', 'invitation'),
});
const facts = fc.uniqueArray(fact, {
  maxLength: 12,
  selector: (each) => JSON.stringify([holderOf(each), each.property]),
});

describe('laws', () => {
  test('a report does not differ from itself, in any order and on any day', () => {
    fc.assert(
      fc.property(facts, fc.nat(), (report, days) => {
        const later = report.map((each) => ({ ...each, age_days: days })).reverse();

        expect(differencesOf(report, later)).toEqual([]);
      }),
    );
  });

  test('the other way round, what was gained is lost', () => {
    const other = { gained: 'lost', lost: 'gained', changed: 'changed' } as const;
    fc.assert(
      fc.property(facts, facts, (one, two) => {
        const mirrored = differencesOf(two, one).map(({ change, before, after }) => ({
          change: other[change],
          before: after,
          after: before,
        }));

        expect(
          differencesOf(one, two).map((each) => ({ before: undefined, after: undefined, ...each })),
        ).toEqual(mirrored);
      }),
    );
  });
});
