import { serviceCommand } from '../../cli/described-command.ts';
import type { Context } from '../../cli/ports.ts';
import { type Session, withSession } from '../../cli/session.ts';
import { unitGroupFields, unitGroupTypes } from '../../model/inventory-fields.ts';
import { isRecord, type ServiceRecord, valueAt, withoutHoles } from '../../model/records.ts';
import { createInventory, type Making } from '../inventory/creating.ts';
import { withFieldFlags } from '../inventory/fields.ts';
import { withCreateFlags } from '../inventory/flags.ts';
import { idsCalled, unitGroups } from '../inventory/kind.ts';

/**
 * `unit-groups create`: POST /inventory/v1/unit-groups, always with an idempotency key.
 *
 * The id is the service's. Type, code and composition are fixed from then on.
 */
export function createUnitGroup(context: Context) {
  const command = serviceCommand(
    'create new',
    'writes',
    [
      'unit-groups create --property BER --code TRP --name en=Triple --description en="Three beds" --max-persons 3',
      'unit-groups create --like BER-DBL --property MUC --code TRP --name en=Triple',
      'unit-groups create --file group.yaml --if-not-exists --json',
    ],
    ['ambiguous'],
  )
    .summary('create a unit group')
    .description(
      'Create a unit group from flags, a file, or both; flags override the file. Prompts for missing values on a terminal. Property, code, type and connected groups cannot be changed later.',
    );
  return withFieldFlags(withCreateFlags(command, 'group with the code'), unitGroupFields).action(
    withSession(context, (session, options) => createInventory(options, making, session)),
  );
}

const making: Making = { kind: unitGroups, fields: unitGroupFields, bodyOf, valuesLike };

async function bodyOf(values: ServiceRecord, session: Session): Promise<ServiceRecord> {
  const { property, connected, ...others } = values;
  const counts = isRecord(connected) ? Object.entries(connected) : [];
  const ids = await idsCalled(
    unitGroups,
    counts.map(([name]) => name),
    String(property),
    session,
  );
  const members = counts.map(([, count], index) => ({ unit_group_id: ids[index], member_count: count }));
  return withoutHoles({
    property_id: property,
    ...others,
    connected_unit_groups: members.length === 0 ? undefined : members,
  });
}

/** Not its code, name and rank, which tell it apart, nor what it is made of. */
function valuesLike(group: ServiceRecord): ServiceRecord {
  const { description, max_persons, type } = group;
  const property = valueAt(group, ['property', 'id']);
  return { property, description, max_persons, type: unitGroupTypes.find((each) => each === type) };
}
