import { allOf, type CommandModel } from '../../src/reference/model.ts';
import { isBeyond } from '../../src/service/operations.ts';
import { exitCodesOf } from '../../src/session/command-line.ts';
import { commandModel } from './tree.ts';

/** For each command that calls the service, arguments with which it succeeds; undo after `beforeUndo`. */
const serviceLines: Readonly<Record<string, string>> = {
  'unit-groups list': '--property BER',
  'unit-groups get': 'BER-DBL',
  'unit-groups exists': 'BER-DBL',
  'unit-groups count': '',
  'unit-groups create':
    '--property BER --code TRP --name en=Triple --description en=Beds --max-persons 3 --connected DBL=1',
  'unit-groups update': '--property BER DBL --rank 9',
  'unit-groups delete': 'MUC-MTG --confirm MUC-MTG',
  'units list': '--property BER --group DBL',
  'units get': '--property BER 201',
  'units exists': 'BER-LIT',
  'units count': '--attribute QUIET',
  'units create': '--property BER --group DBL --names 501..503 --description en=Bed --max-persons 2',
  'units update': '--property BER 204 205 --condition Dirty --yes',
  'units delete': '--property BER 204 205 --confirm BER-LIT,BER-MEC',
  'units archive': 'BER-JQB --confirm BER-JQB',
  'unit-attributes list': '',
  'unit-attributes get': 'BWIXREDA',
  'unit-attributes exists': 'BWIXREDA',
  'unit-attributes create': '--name SEA',
  'unit-attributes update': 'BWIXREDA --description Sea',
  'unit-attributes delete': 'DOASBOJA --confirm DOASBOJA',
  'invitations list': '',
  'invitations create': 'mia@example.com --role Housekeeping --properties BER',
  'invitations delete': 'lea.wagner@aurora.example --yes',
  'invitations resend': 'jonas.keller@aurora.example --yes --progress none',
  'people onboard': 'mia@example.com --role Housekeeping --properties BER --progress none',
  'access apply': 'test/reference/review.csv --yes --progress none',
  'roles list': '',
  'users list': '',
  'users get': 'ben@aurora.example',
  'users me': '',
  'users update': 'karl@aurora.example --enable',
  'users grant': 'ben@aurora.example --property VIE',
  'users revoke': 'ben@aurora.example --property MUC --yes',
  'users disable': 'ben@aurora.example --confirm ben@aurora.example',
  'users enable': 'karl@aurora.example',
  'access report': '',
  'access review start': '2026-H2 --to /nowhere/review --dry-run',
  'access review close': 'test/reference/review --approved-by Ana --evidence /nowhere/evidence -n',
  'people offboard': 'ben@aurora.example --confirm ben@aurora.example',
  'people sync': 'test/reference/staff.csv --jobs test/reference/jobs.yaml --yes --progress none',
  'access diff': 'test/reference/access.json',
  'properties list': '',
  'properties get': 'BER',
  'properties exists': 'BER',
  'properties count': '',
  'properties create':
    '--code KIE --name en=Fjord --company-name GmbH --commercial-register-entry HRB --tax-id DE1 ' +
    '--address-line1 Kai --postal-code 20457 --city Hamburg --country-code DE --time-zone Europe/Berlin ' +
    '--default-check-in-time 15:00:00 --default-check-out-time 11:00:00 --currency-code EUR',
  'properties update': 'BER --city Potsdam',
  'properties clone': 'BER --code KIL --default-check-in-time 15:00:00 --default-check-out-time 11:00:00',
  'properties set-live': 'VIE --confirm VIE',
  'properties archive': 'BER --confirm BER',
  'properties reset': 'MUC --confirm MUC',
  'properties delete': 'MUC --confirm MUC',
  'countries list': '',
  plan: 'test/reference/seed.yaml',
  apply: 'test/reference/seed.yaml --yes --progress none',
  drift: 'test/reference/seed.yaml',
  undo: 'first-run --confirm HAM',
  export: '',
  'access check': 'test/reference/policy.yaml',
  whoami: '',
  'auth status': '',
  api: 'POST /api/v1/invitations --raw-field email=zoe@example.com',
};

/** A line that gives undo a run to undo. */
export const beforeUndo = `apply ${serviceLines['apply']} --run-id first-run`;

/** For each local command, its arguments. */
export const machineLines = {
  'history list': '',
  'history show': 'first-run-1',
  'runs list': '',
  'runs show': 'first-run',
  'schema manifest': '',
  'schema access-policy': '',
  'schema jobs': '',
  template: 'people -o csv',
  login:
    '--with-token --profile chain --identity-url http://127.0.0.1:9 --base-url http://127.0.0.1:9 --insecure-storage',
  'profiles list': '',
  'profiles add':
    'chain --identity-url https://identity.example.com --base-url https://api.example.com --token-file token --insecure-storage',
  'profiles use': 'sandbox',
  'profiles show': 'sandbox',
  'auth token': '--profile chain',
  logout: '--profile chain',
  'profiles remove': 'chain',
  'config list': '',
  'config get': 'max_attempts',
  'config set': 'output json',
  'config unset': 'output',
  'config path': '',
  doctor: '',
  'access review status': 'test/reference/review',
  'evidence verify': 'test/reference/evidence',
  'sandbox serve': '',
  'sandbox reset': '',
  'sandbox accept': 'jonas.keller@aurora.example',
  'sandbox advance': '31d',
  'sandbox path': '',
  completion: 'bash',
  commands: '',
  help: 'safety',
  version: '',
} as const;

/** What the tables of service commands leave out, and why. */
export const exempt = {
  'bad-input': {
    '--confirm': 'it is compared with names that are read first',
    '<folder>': 'a folder without a review is not found: exit 3',
  },
  'secrets-echoed': { undo: 'it sends nothing without a run in the journal' },
  'prism-mock': { undo: 'it sends what the others send, for runs that this machine does not have' },
} as const;

/** A command of the tree that calls the service. */
export interface ServiceCommand extends Pick<CommandModel, 'arguments' | 'flags'> {
  readonly command: string;
  /** Its arguments, as in `serviceLines`. */
  readonly rest: string;
  /** The variables that it needs. */
  readonly env: Readonly<Record<string, string>>;
  readonly isWriting: boolean;
  /** The documented exit codes. */
  readonly codes: readonly number[];
}

/**
 * Every command of the tree that calls the service, except these of a table.
 *
 * @throws {Error} if a command has no line, or if a line or an exemption has no command.
 */
export async function serviceCommands(
  without: Readonly<Record<string, string>> = {},
): Promise<readonly ServiceCommand[]> {
  const commands = allOf(await commandModel()).filter(({ about }) => about.effect !== undefined);
  const atService = commands.filter(({ about }) => about.on === 'service');
  const names = atService.map(({ path }) => path.join(' '));
  const given = [...Object.keys(serviceLines), ...Object.keys(without)];
  const odd = [
    ...names.filter((name) => serviceLines[name] === undefined),
    ...given.filter((name) => !names.includes(name)),
  ];
  if (odd.length > 0) throw new Error(`A command has no line, or a line no command: ${odd.join(', ')}`);
  return atService.flatMap(({ path, about, arguments: taken, flags }) => {
    const command = path.join(' ');
    if (without[command] !== undefined) return [];
    return [
      {
        command,
        rest: serviceLines[command] ?? '',
        env: isBeyond(command) ? { INNCTL_DIALECT: 'apaleo' } : {},
        isWriting: about.effect !== 'reads',
        codes: exitCodesOf(about),
        arguments: taken,
        flags,
      },
    ];
  });
}
