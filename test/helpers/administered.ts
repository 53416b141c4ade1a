import nock from 'nock';

/** An account admin besides those whom a test is about. */
const ana = { subjectId: 'a-1', email: 'ana@example.com', enabled: true, isAccountAdmin: true };

/**
 * The service says who asks, and lists its users, as whatever reduces a user looks for it.
 *
 * @param looks how often that is looked at: at a terminal once more after the last question.
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

/** The service lists no invitation to whom nobody was found, who is looked for there. */
export function nobodyInvited({ path = '/api/v1/invitations' }: { readonly path?: string } = {}): void {
  nock('https://identity.example.com').get(path).reply(200, { invitations: [] });
}
