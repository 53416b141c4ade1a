import fc from 'fast-check';
import { expect, test } from 'vitest';
import { contract } from '../../src/service/dialect.ts';
import type { Call } from '../../src/service/reading.ts';
import { usersApi } from '../../src/service/users.ts';
import { areaOptions } from './sending.ts';

interface Placed {
  readonly id: string;
  readonly roles: readonly string[];
}

/** A step of a patch. */
interface Sets {
  readonly value: readonly string[];
}

/** A user of a service that sets the whole list, drops the roles of lost properties, and never gives any. */
function userOf(properties: readonly string[], placed: readonly Placed[]) {
  let user = { subjectId: 'b-2', properties, propertyRoles: placed };
  const call: Call = async (id, _path, options) => {
    if (id === 'updateUser') {
      const [{ value }] = (options?.body ?? []) as readonly [Sets];
      const roles = user.propertyRoles.filter((each) => value.includes(each.id));
      user = { ...user, properties: value, propertyRoles: roles };
    }
    return { status: id === 'updateUser' ? 204 : 200, headers: {}, body: user, requestId: undefined };
  };
  const users = usersApi(call, contract, areaOptions);
  return { users, seen: () => user };
}

const ids = fc.constantFrom('BER', 'MUC', 'VIE', 'HAM', 'ZRH', 'b_1');
const some = fc.uniqueArray(ids, { maxLength: 5 });
const roles = fc.uniqueArray(fc.constantFrom('FrontDesk', 'Auditor'), { maxLength: 2 });

test('granting properties and revoking those that were added leaves a user as it was', async () => {
  const people = some.chain((properties) =>
    fc.record({
      properties: fc.constant(properties),
      placed: fc.tuple(...properties.map((id) => roles.map((each) => ({ id, roles: each })))),
      granted: some,
    }),
  );

  await fc.assert(
    fc.asyncProperty(people, async ({ properties, placed, granted }) => {
      const { users, seen } = userOf(properties, placed);
      const before = seen();

      await users.update('b-2', { addProperties: granted, steps: [] }, { verify: true });
      const between = seen();
      const added = granted.filter((id) => !properties.includes(id));
      await users.update('b-2', { removeProperties: added, steps: [] }, { verify: true });

      expect(between.properties).toEqual(expect.arrayContaining([...properties, ...granted]));
      expect(seen()).toEqual(before);
    }),
  );
});
