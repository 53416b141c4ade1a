import { serviceCommand } from '../../cli/described-command.ts';
import { collectList } from '../../cli/flags.ts';
import type { Context } from '../../cli/ports.ts';
import { unitGroupFields, unitGroupTypes } from '../../model/inventory-fields.ts';
import { type ServiceRecord, valueAt } from '../../model/records.ts';
import { creating } from '../inventory/creating.ts';
import { removing } from '../inventory/delete.ts';
import { withFieldFlags } from '../inventory/fields.ts';
import { unitGroups } from '../inventory/kind.ts';
import { argumentFor } from '../inventory/reading.ts';
import { updating } from '../inventory/update.ts';

/**
 * `unit-groups create`: POST /inventory/v1/unit-groups, always with an idempotency key.
 *
 * The id is the service's. Type, code and composition are fixed from then on.
 */
export const createUnitGroup = creating(
  { kind: unitGroups, fields: unitGroupFields, valuesLike },
  [
    'unit-groups create --property BER --code TRP --name en=Triple --description en="Three beds" --max-persons 3',
    'unit-groups create --like BER-DBL --property MUC --code TRP --name en=Triple',
    'unit-groups create --file group.yaml --if-not-exists --json',
  ],
  'Create a unit group from flags, a file, or both; flags override the file. Prompts for missing values on a terminal. Property, code, type and connected groups cannot be changed later.',
);

/** Not its code, name and rank, which tell it apart, nor what it is made of. */
function valuesLike(group: ServiceRecord): ServiceRecord {
  const { description, max_persons, type } = group;
  const property = valueAt(group, ['property', 'id']);
  return { property, description, max_persons, type: unitGroupTypes.find((each) => each === type) };
}

/** The fields that PUT replaces; the service keeps the others. */
const fields = unitGroupFields.filter(({ isFixed }) => isFixed !== true);

/**
 * `unit-groups update <id>`: PUT /inventory/v1/unit-groups/{id}.
 *
 * The group is read with all languages, changed, and sent whole, so that what is not named stays as it is.
 */
export function updateUnitGroup(context: Context) {
  const command = serviceCommand('update', 'writes', [
    'unit-groups update BER-DBL --name de=Doppelzimmer --rank 2',
    'unit-groups update --property BER DBL --description en="Queen bed" --dry-run',
    'unit-groups update BER-DBL --unset name.de,rank',
  ])
    .exitsWith('ambiguous')
    .summary('update a unit group')
    .description(
      'Update a unit group; what is not given stays. Property, code, type and connected groups are fixed after creation.',
    )
    .argument('[id]', argumentFor(unitGroups)[1])
    .option('--property <id>', 'find the group by its code at this property')
    .option('--unset <fields>', 'remove these: rank, name.de, description.de (repeatable)', collectList)
    .option('--no-verify', 'do not verify by reading the group back');
  return withFieldFlags(command, fields).action(
    updating(context, { kind: unitGroups, fields, removable: ['rank'] }),
  );
}

/** `unit-groups delete <id>`: DELETE /inventory/v1/unit-groups/{id}, after its id was repeated. */
export const deleteUnitGroup = removing(
  unitGroups,
  'delete',
  [
    'unit-groups delete BER-DBL',
    'unit-groups delete --property BER DBL --confirm BER-DBL',
    'unit-groups delete BER-DBL --confirm BER-DBL --ignore-not-found --json',
  ],
  'Delete a unit group permanently.',
);
