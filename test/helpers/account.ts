import nock from 'nock';
import { property } from './records.ts';

const IDENTITY = 'https://identity.example.com';
const API = 'https://api.example.com';

/** An account admin, in the format of the service. */
export const ana = {
  subjectId: 'u-ana',
  firstName: 'Ana',
  lastName: 'Berg',
  email: 'ana@example.com',
  enabled: true,
  isAccountAdmin: true,
  isMfaEnabled: true,
  isPasskeysEnabled: false,
  properties: [],
};

/** A user with a role at one of two properties. */
export const ben = {
  ...ana,
  subjectId: 'u-ben',
  firstName: 'Ben',
  lastName: 'Schuster',
  email: 'ben@example.com',
  isAccountAdmin: false,
  isMfaEnabled: false,
  properties: [
    { id: 'BER', roles: ['FrontDesk'] },
    { id: 'VIE', roles: [] },
  ],
};

/** An invitation. */
export const paul = {
  email: 'paul@example.com',
  isAccountAdmin: false,
  invitedBy: 'ana@example.com',
  created: '2026-10-01T08:00:00Z',
  properties: ['BER'],
  roles: ['Auditor'],
};

interface Account {
  readonly dialect?: string;
  readonly users?: readonly object[];
  /** What the list of users counts; default: what it has. */
  readonly count?: number;
  readonly invitations?: readonly object[];
  readonly properties?: readonly object[];
  /** The current user, and the status of that response. */
  readonly self?: object;
  readonly selfStatus?: number;
  /** Happens while the current user is read. */
  readonly meanwhile?: () => Promise<void>;
}

/** The responses to the four requests that show who has access. */
export function serveAccess({
  dialect = 'contract',
  users = [ana, ben],
  count = users.length,
  invitations = [paul],
  properties = [property],
  self = ana,
  selfStatus = 200,
  meanwhile = async () => {},
}: Account = {}): void {
  const invited = dialect === 'apaleo' ? '/api/v1/account/invitations' : '/api/v1/invitations';
  nock(IDENTITY).get('/api/v1/users').query(true).reply(200, { users, count });
  nock(IDENTITY).get(invited).reply(200, { invitations });
  nock(IDENTITY)
    .get('/api/v1/users/me')
    .reply(selfStatus, () => meanwhile().then(() => self));
  nock(API).get('/inventory/v1/properties').query(true).reply(200, { properties, count: properties.length });
}
