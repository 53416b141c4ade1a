/** The same for commands of the dialect apaleo. */
const inventoryLines = {
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
} as const;

/** For each command that calls the service, arguments with which it succeeds. */
export const serviceLines = {
  ...inventoryLines,
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
} as const;

/** The variables that a command needs, such as the dialect. */
const beyond = { INNCTL_DIALECT: 'apaleo' };
const surroundings: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'properties exists': beyond,
  'properties clone': beyond,
  'properties set-live': beyond,
  'properties archive': beyond,
  'properties reset': beyond,
  ...Object.fromEntries(Object.keys(inventoryLines).map((line) => [line, beyond])),
};

/** The variables with which a command succeeds. */
export function environmentOf(command: string): Readonly<Record<string, string>> {
  return surroundings[command] ?? {};
}

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
