import nock from 'nock';

/** An account admin besides those whom a test is about. */
export const ana = { subjectId: 'a-1', email: 'ana@example.com', enabled: true, isAccountAdmin: true };

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

/** The service lists these invitations, as whatever finds nobody with an address looks for them. */
export function invited(...emails: readonly string[]): void {
  nock('https://identity.example.com')
    .get('/api/v1/invitations')
    .reply(200, { invitations: emails.map((email) => ({ email })) });
}
