import { describe, expect, test } from 'vitest';
import { compare, isRepeatable, overlap, type PatchStep } from '../../src/model/patch.ts';

test.each<[string, string, boolean]>([
  ['/name', '/name', true],
  ['/name', '/name/de', true],
  ['/name/de', '/name', true],
  ['', '/name', true],
  ['/name', '/names', false],
  ['/name/de', '/name/en', false],
  ['/Location/city', '/location', true],
  ['/companyname', '/company_name', true],
  ['/CompanyName', '/COMPANY_NAME', true],
  ['/nick_name', '/nickName', false],
])('%j and %j overlap: %s', (path, other, expected) => {
  expect(overlap(path, other)).toBe(expected);
});

test.each<[PatchStep, boolean]>([
  [{ op: 'replace', path: '/enabled', value: true }, true],
  [{ op: 'add', path: '/properties', value: [] }, true],
  [{ op: 'remove', path: '/nickName' }, true],
  [{ op: 'test', path: '/tags/0', value: 1 }, true],
  [{ op: 'replace', path: '/tags/0', value: 1 }, true],
  [{ op: 'add', path: '/tags/-', value: 1 }, false],
  [{ op: 'add', path: '/tags/0', value: 1 }, false],
  [{ op: 'remove', path: '/tags/0' }, false],
  [{ op: 'move', from: '/a', path: '/b' }, false],
  [{ op: 'copy', from: '/a', path: '/b' }, false],
])('%j is repeatable: %s', (step, expected) => {
  expect(isRepeatable([{ op: 'replace', path: '/enabled', value: true }, step])).toBe(expected);
});

describe('a record that was read back', () => {
  const record = {
    enabled: true,
    properties: ['BER', 'MUC'],
    tags: null,
    name: { en: 'Grand Hotel', de: 'Grandhotel' },
    first_name: 'Ben',
    location: { address_line1: 'Am Kai 1', city: 'Hamburg' },
    actions: [{ action: 'Delete', is_allowed: true }],
  };
  const shown = { different: [], unseen: [] };
  const different = (...paths: readonly string[]) => ({ ...shown, different: paths });
  const unseen = (...paths: readonly string[]) => ({ ...shown, unseen: paths });

  test.each<[PatchStep, ReturnType<typeof compare>]>([
    [{ op: 'replace', path: '/enabled', value: true }, shown],
    [{ op: 'replace', path: '/enabled', value: false }, different('/enabled')],
    [{ op: 'replace', path: '/enabled', value: 'true' }, different('/enabled')],
    [{ op: 'add', path: '/properties', value: ['MUC', 'BER'] }, shown],
    [{ op: 'add', path: '/properties', value: ['BER', 'MUC', 'BER'] }, shown],
    [{ op: 'add', path: '/properties', value: ['BER', 'BER'] }, different('/properties')],
    [{ op: 'add', path: '/properties', value: ['BER'] }, different('/properties')],
    [{ op: 'add', path: '/properties', value: ['BER', 'VIE'] }, different('/properties')],
    [{ op: 'add', path: '/properties', value: [] }, different('/properties')],
    [{ op: 'add', path: '/tags', value: [] }, shown],
    [{ op: 'add', path: '/tags', value: ['night'] }, different('/tags')],
    [{ op: 'add', path: '/enabled', value: ['BER'] }, different('/enabled')],
    [{ op: 'replace', path: '/name/de', value: 'Grandhotel' }, shown],
    [{ op: 'replace', path: '/name/fr', value: 'Grand Hôtel' }, different('/name/fr')],
    [{ op: 'replace', path: '/name', value: { en: 'Grand Hotel' } }, shown],
    [{ op: 'replace', path: '/firstName', value: 'Ben' }, shown],
    [{ op: 'replace', path: '/location/addressLine1', value: 'Am Kai 1' }, shown],
    [
      { op: 'replace', path: '/location', value: { addressLine1: 'Am Kai 1', city: 'Kiel' } },
      different('/location'),
    ],
    [{ op: 'replace', path: '/actions', value: [{ action: 'Delete', isAllowed: true }] }, shown],
    [
      { op: 'replace', path: '/actions', value: [{ action: 'Delete' }, { action: 'Read' }] },
      different('/actions'),
    ],
    [{ op: 'replace', path: '/defaultCheckInTime', value: '15:00:00' }, unseen('/defaultCheckInTime')],
    [{ op: 'replace', path: '/constructor', value: 'x' }, different('/constructor')],
    [{ op: 'replace', path: '/__proto__', value: {} }, different('/__proto__')],
    [{ op: 'remove', path: '/nickName' }, shown],
    [{ op: 'remove', path: '/nickName/de' }, shown],
    [{ op: 'replace', path: '/secretNote', value: null }, shown],
    [{ op: 'remove', path: '/constructor' }, shown],
    [{ op: 'remove', path: '/defaultCheckInTime' }, unseen('/defaultCheckInTime')],
    [{ op: 'remove', path: '/name/fr' }, shown],
    [{ op: 'remove', path: '/name/de' }, different('/name/de')],
    [{ op: 'remove', path: '/tags' }, shown],
    [{ op: 'remove', path: '/enabled' }, different('/enabled')],
    [{ op: 'replace', path: '/tags', value: null }, shown],
    [{ op: 'replace', path: '/enabled', value: null }, different('/enabled')],
    [{ op: 'replace', path: '', value: record }, unseen('')],
    [{ op: 'add', path: '/tags/-', value: 1 }, unseen('/tags/-')],
    [{ op: 'move', from: '/a', path: '/enabled' }, unseen('/enabled')],
    [{ op: 'copy', from: '/a', path: '/enabled' }, unseen('/enabled')],
    [{ op: 'test', path: '/enabled', value: false }, shown],
  ])('is compared with %j', (step, expected) => {
    expect(compare(record, [step])).toEqual(expected);
  });

  test('is compared with the last write of several steps on one path', () => {
    const steps: readonly PatchStep[] = [
      { op: 'replace', path: '/enabled', value: false },
      { op: 'replace', path: '/enabled', value: true },
      { op: 'test', path: '/enabled', value: false },
    ];

    expect(compare(record, steps)).toEqual(shown);
  });

  test('is not compared with values that a later step moves or overwrites', () => {
    const steps: readonly PatchStep[] = [
      { op: 'replace', path: '/enabled', value: false },
      { op: 'replace', path: '/name/de', value: 'Hafenhotel' },
      { op: 'move', from: '/enabled', path: '/was' },
      { op: 'remove', path: '/name' },
    ];

    expect(compare(record, steps)).toEqual({ different: ['/name'], unseen: ['/was'] });
  });
});
