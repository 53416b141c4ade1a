import { type Referred, usable } from '../../change/references.ts';
import { type Detail, detailsFor } from '../../cli/errors.ts';
import { rolesOf } from '../../model/access.ts';
import { nearestAddress } from '../../model/names.ts';
import { heldEmailProblem } from '../../model/segment.ts';
import { emailOf } from '../../service/find-user.ts';

/** Invitations as a command line names them. */
export const invitations: Referred = {
  noun: ['invitation', 'invitations'],
  argument: 'email',
  field: 'email',
  list: (api) => api.invitations.list({}, {}),
  listWords: ['invitations', 'list'],
  misspelt: (words, { invitations: resource }) => ({
    words,
    resource,
    fields: ['email'],
    pick: nearestAddress,
  }),
  referenceOf: (record) => usable(emailOf(record), heldEmailProblem),
  namesOf: () => [],
  detailsOf: (record) => [
    rolesOf(record).join(', '),
    typeof record['created'] === 'string' ? `invited ${record['created'].slice(0, 10)}` : undefined,
  ],
};

/** The problem with the address of an invitation. The service may list what it would not take any more. */
export function addressProblems(email: string): readonly Detail[] {
  return detailsFor('email', heldEmailProblem(email));
}
