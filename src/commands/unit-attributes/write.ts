import { serviceCommand } from '../../cli/described-command.ts';
import { collectList } from '../../cli/flags.ts';
import type { Context } from '../../cli/ports.ts';
import { unitAttributeFields } from '../../model/inventory-fields.ts';
import { creating } from '../inventory/creating.ts';
import { removing } from '../inventory/delete.ts';
import { withFieldFlags } from '../inventory/fields.ts';
import { unitAttributes } from '../inventory/kind.ts';
import { argumentFor } from '../inventory/reading.ts';
import { updating } from '../inventory/update.ts';

/** `unit-attributes create`: POST /inventory/v1/unit-attributes, always with an idempotency key. */
export const createUnitAttribute = creating(
  {
    kind: unitAttributes,
    fields: unitAttributeFields,
    valuesLike: ({ description }) => ({ description }),
  },
  [
    'unit-attributes create --name QUIET --description "Away from the street"',
    'unit-attributes create --file attribute.yaml --if-not-exists --json',
  ],
  'Create a unit attribute from flags, a file, or both; flags override the file. Prompts for a missing name on a terminal. The name cannot be changed later.',
);

const fields = unitAttributeFields.filter(({ isFixed }) => isFixed !== true);

/** `unit-attributes update <id>`: PATCH /inventory/v1/unit-attributes/{id}, which replaces or removes the description. */
export function updateUnitAttribute(context: Context) {
  const command = serviceCommand('update', 'writes', [
    'unit-attributes update BWIXREDA --description "Away from the street"',
    'unit-attributes update BWIXREDA --unset description',
  ])
    .summary('update a unit attribute')
    .description('Update the description of a unit attribute. Its name is fixed after creation.')
    .argument('[id]', argumentFor(unitAttributes)[1])
    .option('--unset <fields>', 'remove this: description', collectList)
    .option('--no-verify', 'do not verify by reading the attribute back');
  return withFieldFlags(command, fields).action(
    updating(context, { kind: unitAttributes, fields, removable: ['description'] }),
  );
}

/** `unit-attributes delete <id>`: DELETE /inventory/v1/unit-attributes/{id}, after its id was repeated. */
export const deleteUnitAttribute = removing(
  unitAttributes,
  'delete',
  [
    'unit-attributes delete BWIXREDA',
    'unit-attributes delete BWIXREDA --confirm BWIXREDA --ignore-not-found --json',
  ],
  'Delete a unit attribute permanently; units lose it.',
);
