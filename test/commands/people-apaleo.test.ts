import { describe, expect, test } from 'vitest';
import type { Connect } from '../../src/cli/ports.ts';
import { connectUndici } from '../../src/service/wire/undici.ts';
import { type Answer, cli } from '../helpers/cli.ts';
import { temporaryFolder } from '../helpers/folder.ts';

/** A sandbox with the dialect apaleo that persists over several commands, and the requests sent to it. */
async function openSandbox() {
  const folder = await temporaryFolder();
  const requests: string[] = [];
  const connect: Connect = async (options) => {
    const transport = await connectUndici(options);
    const request: typeof transport.request = (each) => {
      const { pathname, search } = new URL(each.url);
      requests.push(`${each.method} ${pathname}${search}`);
      return transport.request(each);
    };
    return { ...transport, request };
  };
  const innctl = (line: string, answers?: readonly Answer[], stdin?: string) =>
    cli(`--sandbox ${line}`, {
      folder,
      connect,
      env: { INNCTL_DIALECT: 'apaleo' },
      ...(answers === undefined ? {} : { answers }),
      ...(stdin === undefined ? {} : { stdin }),
    });
  const json = async (line: string) => JSON.parse((await innctl(`${line} --json`)).stdout);
  return { innctl, json, requests };
}

describe('users', () => {
  test.each([
    ['--enabled false', ['karl@aurora.example']],
    ['--email KARL@aurora.example', ['karl@aurora.example']],
    ['--email nobody@aurora.example', []],
    ['--property VIE --enabled --sort last_name:desc', ['david', 'greta', 'hanna', 'julia']],
    ['--property VIE --sort first_name', ['david', 'greta', 'hanna', 'julia']],
    ['--property VIE --sort email:desc', ['julia', 'hanna', 'greta', 'david']],
  ])('are listed with %s', async (flags, people) => {
    const { json } = await openSandbox();
    const addresses = people.map((name) => (name.includes('@') ? name : `${name}@aurora.example`));

    const { items } = await json(`users list --fields email ${flags}`);

    expect(items.map(({ email }: { email: string }) => email)).toEqual(addresses);
  });
});

describe('a file with fields in the spelling of the service', () => {
  const outsideExtraReason = (field: string) => `is a field of the contract: write ${field} outside extra`;
  const file = (text: string, line: string) =>
    cli(`--sandbox ${line} --file - --json`, {
      env: { INNCTL_DIALECT: 'apaleo' },
      connect: connectUndici,
      stdin: text,
    });

  test.each([
    [
      'invitations create',
      'email: a@example.com\nis_account_admin: false\nextra: { isAccountAdmin: true }\n',
      [{ field: 'stdin: extra.isAccountAdmin', reason: outsideExtraReason('is_account_admin') }],
    ],
    [
      'invitations create --allow-unknown-fields',
      'email: a@example.com\nisAccountAdmin: true\n',
      [{ field: 'stdin: extra.isAccountAdmin', reason: outsideExtraReason('is_account_admin') }],
    ],
    [
      'properties create --company-name FLAG --country-code AT',
      'extra: { companyName: over, location: { countryCode: ZZ } }\n',
      [
        { field: 'stdin: extra.companyName', reason: outsideExtraReason('company_name') },
        { field: 'stdin: extra.location.countryCode', reason: outsideExtraReason('location.country_code') },
      ],
    ],
  ])('cannot override contract fields: %s', async (line, text, details) => {
    const { exitCode, stderr } = await file(text, line);

    expect({ exitCode, details: JSON.parse(stderr).error.details }).toEqual({ exitCode: 2, details });
  });
});

test('an invitation with more roles than the manifest is a conflict', async () => {
  const { innctl } = await openSandbox();
  await innctl('invitations create mia@example.com --roles FrontDesk,Auditor --properties BER');
  const plan = async (roles: string) => {
    const stdin = `email: mia@example.com\nproperties: [BER]\nroles: [${roles}]\n`;
    const { stdout } = await innctl('plan - --json', undefined, stdin);
    const [{ action, reason }] = JSON.parse(stdout).items;
    return { action, reason };
  };

  expect(await plan('Auditor, FrontDesk')).toEqual({ action: 'same', reason: undefined });
  expect(await plan('FrontDesk')).toEqual({
    action: 'conflict',
    reason: 'is already invited, with roles FrontDesk, Auditor; withdraw it first',
  });
});
