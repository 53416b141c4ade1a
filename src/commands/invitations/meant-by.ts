import type { Api } from '../../api/api.ts';
import type { NewInvitation } from '../../api/invitations.ts';
import { nearest } from '../../checks/nearest.ts';
import { type Doubtful, MOST_LOOKED_THROUGH, namesIn } from '../meant.ts';

const extent = { limit: MOST_LOOKED_THROUGH };

/** The words of an invitation that may be misspelt: its role and its properties. Each list is read once, when asked for. */
export function doubtfulIn({ role, properties = [] }: NewInvitation, api: Api): readonly Doubtful[] {
  let ids: Promise<readonly string[]> | undefined;
  const propertyIds = () => {
    ids ??= namesIn(api.properties.list({}, extent), 'id');
    return ids;
  };
  const roles = () => namesIn(api.roles.list(extent), 'name');
  return [
    ...(role === undefined ? [] : [{ word: role, listed: roles }]),
    ...properties.map((word) => ({ word, listed: propertyIds })),
  ];
}

/**
 * An address that may be misspelt, among those that are invited. Addresses of one domain are all alike: what stands
 * before the @ must be alike too.
 */
export function addressNear(email: string, api: Api): Doubtful {
  const listed = async () => {
    const emails = await namesIn(api.invitations.list({}, extent), 'email');
    return emails.filter((other) => nearest(beforeAt(email), [beforeAt(other)]) !== undefined);
  };
  return { word: email, listed };
}

function beforeAt(email: string): string {
  return email.slice(0, email.lastIndexOf('@'));
}
