import nock from 'nock';
import { user } from './records.ts';

/** An account admin in addition to the users of a test. */
const ana = { ...user, isAccountAdmin: true };

/**
 * The responses of users/me and of the user list, which are requested before access is reduced.
 */
export function administered(
  users: readonly object[] = [ana],
  { self = ana }: { readonly self?: object | undefined } = {},
): void {
  const service = () => nock('https://identity.example.com');
  service().get('/api/v1/users/me').reply(200, self);
  service()
    .get(/^\/api\/v1\/users\?page.?[sS]ize=100&page.?[nN]umber=1$/)
    .reply(200, { users, count: users.length });
}

/** The list response without invitations, for an address that is no user. */
export function nobodyInvited({ path = '/api/v1/invitations' }: { readonly path?: string } = {}): void {
  nock('https://identity.example.com').get(path).reply(200, { invitations: [] });
}
