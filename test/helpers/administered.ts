import nock from 'nock';

/** An account admin in addition to the users of a test. */
const ana = { subjectId: 'a-1', email: 'ana@example.com', enabled: true, isAccountAdmin: true };

/**
 * The responses of users/me and of the user list, which are requested before access is reduced.
 *
 * @param looks the number of these requests: at a terminal they are repeated after the last prompt.
 */
export function administered(
  users: readonly object[] = [ana],
  { self = ana, looks = 1 }: { readonly self?: object | undefined; readonly looks?: number } = {},
): void {
  const service = () => nock('https://identity.example.com');
  service().get('/api/v1/users/me').times(looks).reply(200, self);
  service()
    .get(/^\/api\/v1\/users\?page.?[sS]ize=100&page.?[nN]umber=1$/)
    .times(looks)
    .reply(200, { users, count: users.length });
}

/** The list response without invitations, for an address that is no user. */
export function nobodyInvited({ path = '/api/v1/invitations' }: { readonly path?: string } = {}): void {
  nock('https://identity.example.com').get(path).reply(200, { invitations: [] });
}
