import { expect, test } from 'vitest';
import { nearestFlag } from '../../src/model/names.ts';

test.each([
  ['jsn', ['json'], 'json'],
  ['hlep', ['help'], 'help'],
  ['dryrun', ['dry-run'], 'dry-run'],
  ['add-property', ['add-properties', 'set-properties'], 'add-properties'],
  ['remove-propertys', ['set-properties', 'remove-properties'], 'remove-properties'],
  ['remove-properties', ['set-properties', 'add-properties'], undefined],
  ['delete-properties', ['set-properties'], undefined],
  ['get-live', ['set-live'], undefined],
  ['disable', ['enable'], undefined],
  ['enable', ['disable'], undefined],
  ['exclude-archived', ['include-archived'], undefined],
  ['max-deletes', ['max-changes'], undefined],
])('the nearest flag to --%s among %j is %s', (typed, flags, meant) => {
  expect(nearestFlag(typed, flags)).toBe(meant);
});
