import { removing } from '../inventory/delete.ts';
import { units } from '../inventory/kind.ts';

/** `units delete <id>`: DELETE /inventory/v1/units/{id}, after its id was repeated. A unit with reservations stays. */
export const deleteUnit = removing(
  units,
  'delete',
  ['units delete --property BER 201', 'units delete BER-LIT --confirm BER-LIT --ignore-not-found --json'],
  'Delete a unit permanently. A unit that has reservations can only be archived.',
);

/** `units archive <id>`: PUT /inventory/v1/unit-actions/{id}/archive, which cannot be undone, after its id was repeated. */
export const archiveUnit = removing(
  units,
  'archive',
  ['units archive --property BER 201', 'units archive BER-LIT --confirm BER-LIT --json'],
  'Archive a unit that cannot be deleted. This cannot be undone.',
);
