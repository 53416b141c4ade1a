import { serviceCommand } from '../../cli/described-command.ts';
import type { Context } from '../../cli/ports.ts';
import { withDeleteFlags } from '../inventory/flags.ts';
import { unitGroups } from '../inventory/kind.ts';
import { argumentFor } from '../inventory/reading.ts';
import { deletionOf, removing } from '../inventory/removing.ts';

/** `unit-groups delete <id>`: DELETE /inventory/v1/unit-groups/{id}, after its id was repeated. */
export function deleteUnitGroup(context: Context) {
  const command = serviceCommand(
    'delete rm',
    'destroys',
    [
      'unit-groups delete BER-DBL',
      'unit-groups delete --property BER DBL --confirm BER-DBL',
      'unit-groups delete BER-DBL --confirm BER-DBL --ignore-not-found --json',
    ],
    ['ambiguous', 'partlyDone'],
  )
    .summary('delete a unit group')
    .description(
      'Delete a unit group permanently. Prompts for its id on a terminal; otherwise requires --confirm.',
    )
    .argument(...argumentFor(unitGroups))
    .option('--property <id>', 'find the group by its code at this property');
  return withDeleteFlags(command).action(removing(context, unitGroups, deletionOf(unitGroups)));
}
