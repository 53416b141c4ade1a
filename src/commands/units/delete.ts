import { serviceCommand } from '../../cli/described-command.ts';
import type { Context } from '../../cli/ports.ts';
import { withDeleteFlags, withRemovalFlags } from '../inventory/flags.ts';
import { units } from '../inventory/kind.ts';
import { argumentFor } from '../inventory/reading.ts';
import { deletionOf, type Removal, removing } from '../inventory/removing.ts';

const property = ['--property <id>', 'find the unit by its name at this property'] as const;

/** `units delete <id>`: DELETE /inventory/v1/units/{id}, after its id was repeated. A unit with reservations stays. */
export function deleteUnit(context: Context) {
  const command = serviceCommand(
    'delete rm',
    'destroys',
    ['units delete --property BER 201', 'units delete BER-LIT --confirm BER-LIT --ignore-not-found --json'],
    ['ambiguous', 'partlyDone'],
  )
    .summary('delete a unit')
    .description(
      'Delete a unit permanently. A unit that has reservations can only be archived. Prompts for its id on a terminal; otherwise requires --confirm.',
    )
    .argument(...argumentFor(units))
    .option(...property);
  return withDeleteFlags(command).action(removing(context, units, deletionOf(units)));
}

const archiving: Removal = {
  operation: 'archiveUnit',
  action: 'Archive',
  words: { verb: 'archives', doing: 'archiving', done: 'Archived' },
  send: (id, how, { api }) => api.units.archive(id, how),
};

/** `units archive <id>`: PUT /inventory/v1/unit-actions/{id}/archive, which cannot be undone, after its id was repeated. */
export function archiveUnit(context: Context) {
  const command = serviceCommand(
    'archive',
    'destroys',
    ['units archive --property BER 201', 'units archive BER-LIT --confirm BER-LIT --json'],
    ['ambiguous', 'partlyDone'],
  )
    .summary('archive a unit')
    .description(
      'Archive a unit that cannot be deleted. This cannot be undone. Prompts for its id on a terminal; otherwise requires --confirm.',
    )
    .argument(...argumentFor(units))
    .option(...property);
  return withRemovalFlags(command, 'archiving').action(removing(context, units, archiving));
}
