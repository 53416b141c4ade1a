import { units } from '../inventory/kind.ts';
import { deleting, type Removal, removing } from '../inventory/removing.ts';

/** `units delete <id>`: DELETE /inventory/v1/units/{id}, after its id was repeated. A unit with reservations stays. */
export const deleteUnit = deleting(
  units,
  ['units delete --property BER 201', 'units delete BER-LIT --confirm BER-LIT --ignore-not-found --json'],
  '. A unit that has reservations can only be archived',
);

const archiving: Removal = {
  names: 'archive',
  operation: 'archiveUnit',
  action: 'Archive',
  words: { verb: 'archives', doing: 'archiving', done: 'Archived' },
  steps: [{ op: 'replace', path: '/is_archived', value: true }],
  send: (id, how, { api }) => api.units.archive(id, how),
};

/** `units archive <id>`: PUT /inventory/v1/unit-actions/{id}/archive, which cannot be undone, after its id was repeated. */
export const archiveUnit = removing(
  units,
  archiving,
  ['units archive --property BER 201', 'units archive BER-LIT --confirm BER-LIT --json'],
  'Archive a unit that cannot be deleted. This cannot be undone.',
);
