import nock from 'nock';
import { expect, test } from 'vitest';
import { cli, hotels } from '../helpers/cli.ts';
import { onlyIntercepted } from '../helpers/interceptors.ts';

const IDENTITY = 'https://identity.example.com';
const API = 'https://api.example.com';

const now = Date.parse('2026-11-23T12:00:00Z');

const ana = {
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

const ben = {
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

const karl = {
  ...ben,
  subjectId: 'u-karl',
  firstName: 'Karl',
  lastName: 'Lorenz',
  email: 'karl@example.com',
};

const paul = {
  email: 'paul@example.com',
  isAccountAdmin: false,
  invitedBy: 'ana@example.com',
  created: '2026-10-01T08:00:00Z',
  properties: ['BER'],
  roles: ['Auditor'],
};

const berlin = { id: 'BER', code: 'BER', name: { en: 'Hotel Berlin' } };
const vienna = { id: 'VIE', code: 'VIE', name: { en: 'Hotel Wien' } };

interface Account {
  readonly users?: readonly object[];
  readonly count?: number;
  readonly invitations?: readonly object[];
  readonly properties?: readonly object[];
}

const everybody = [
  ana,
  ben,
  { ...karl, enabled: false, properties: [{ id: 'VIE', roles: ['Housekeeping'] }] },
];

function account({
  users = everybody,
  count = users.length,
  invitations = [paul],
  properties = [vienna, berlin],
}: Account = {}) {
  nock(IDENTITY).get('/api/v1/users').query(true).reply(200, { users, count });
  nock(IDENTITY).get('/api/v1/invitations').reply(200, { invitations });
  nock(IDENTITY).get('/api/v1/users/me').reply(200, ana);
  nock(API).get('/inventory/v1/properties').query(true).reply(200, { properties, count: properties.length });
}

const report = (line = '', columns?: number) =>
  cli(`access report ${line} --color never`, {
    env: hotels,
    now,
    ...(columns === undefined ? {} : { columns }),
  });

onlyIntercepted();

test('a terminal shows people and properties as a matrix, with what its codes mean', async () => {
  account();

  const result = await report('', 80);

  expect(result).toEqual({
    exitCode: 0,
    stderr: '',
    stdout: `\
Name          E-mail            State     BER   VIE
Ana Berg      ana@example.com   active    *     *
Ben Schuster  ben@example.com   active    FD    -
Karl Lorenz   karl@example.com  disabled  ·     (HK)
              paul@example.com  invited   (AU)  ·

AU Auditor                       * account admin
FD FrontDesk                     - no role
HK Housekeeping                  ( ) not now: disabled, invited
`,
  });
});
