/**
 * Command lines of other programs, and ours that do the same. `a|b`: either word. `$1`: any word, `$@`: an e-mail address, `$A`: a code
 * such as BER, `$P`: what may be an id of a property. Ours has them by number. Words and flags behind them stay.
 */
export const phrases: readonly (readonly [typed: string, ours: string])[] = [
  ['people|person|staff|employees|colleagues', 'users'],
  ['users add|create|new|invite', 'invitations create'],
  ['users list|find|search $@', 'users get $1'],
  ['users $@', 'users get $1'],
  ['find|search $@', 'users get $1'],
  ['users list $P', 'users list --property $1'],
  ['users grant|assign $1 $2', 'users update $1 --add-properties $2'],
  ['users revoke|unassign $1 $2', 'users update $1 --remove-properties $2'],
  ['users promote $1', 'users update $1 --is-account-admin true'],
  ['users demote $1', 'users update $1 --is-account-admin false'],
  ['invitations list $P', 'invitations list --property $1'],
  ['invitations list|get|show|find $@', "invitations list --query items[?email=='$1']"],
  ['invitations $A $@', 'invitations create $2 $1'],
  ['properties $A', 'properties get $1'],
  ['find|search $A', 'properties get $1'],
  ['properties list $1', 'properties get $1'],
  ['properties create|add|new $A', 'properties create --code $1'],
  ['properties rename $1 $2', 'properties update $1 --name $2'],
  ['properties copy|clone|duplicate $1 $2', 'properties create --like $1 --code $2'],
  ['roles list|get|show|find $1', "roles list --query items[?name=='$1']"],
  ['countries $A', "countries list --query items[?code=='$1']"],
  ['countries list|get|show|find $1', "countries list --query items[?code=='$1']"],
  ['profiles list $1', 'profiles show $1'],
  ['runs list $1', 'runs show $1'],
  ['config get|show', 'config list'],
  ['import|load|upload', 'apply'],
  ['diff|compare|preview', 'plan'],
  ['dump|backup|download', 'export'],
  ['export $A', 'export --property $1'],
  ['sandbox reset $1', 'sandbox reset --seed $1'],
  ['status', 'auth status'],
  ['me|who|id', 'whoami'],
  ['whoami me', 'whoami'],
  ['auth whoami|me', 'whoami'],
  ['signin|sign-in|setup|configure|init', 'login'],
  ['login apaleo', 'login --preset apaleo'],
  ['signout|sign-out', 'logout'],
  ['logout all', 'logout --all'],
  ['logout $1', 'logout --profile $1'],
];

/** Verbs by what they are called elsewhere; of several verbs, that which the noun has. */
export const verbs: Readonly<Record<string, readonly string[]>> = synonyms({
  list: 'all index search find',
  get: 'view describe info read find inspect',
  show: 'get view describe info read find inspect status',
  create: 'add make register',
  add: 'create make register',
  update: 'change modify patch set',
  set: 'update change',
  delete: 'remove del destroy drop erase revoke withdraw cancel uninvite',
  remove: 'delete del destroy drop erase forget',
  forget: 'delete remove del',
  disable: 'delete remove rm deactivate lock block suspend ban',
  enable: 'activate reactivate unlock unblock restore',
  unset: 'delete remove rm',
  use: 'switch select activate',
  resume: 'continue retry restart',
  serve: 'start run up launch',
  reset: 'clear clean wipe',
});

/** Flags by what they are called elsewhere, without dashes; a value behind `=` is the only one meant. */
export const flagNames: Readonly<Record<string, readonly string[]>> = synonyms({
  'dry-run': 'dryrun dry simulate preview whatif what-if',
  yes: 'force f assume-yes auto-approve',
  output: 'format output-format',
  json: 'j as-json',
  version: 'v',
  debug: 'verbose trace v',
  quiet: 'silent',
  'color=never': 'no-color no-colour',
  fields: 'columns select',
  query: 'jq jmespath filter where',
  file: 'f filename from-file',
  profile: 'env context',
  limit: 'max first l',
  all: 'a',
  properties: 'hotel hotels property-id property-ids',
  property: 'hotel hotels properties property-id',
  'add-properties': 'hotel hotels grant',
  'remove-properties': 'revoke',
  role: 'roles r',
  email: 'mail e-mail address to',
  'is-account-admin': 'admin account-admin is-admin',
  code: 'id',
  like: 'from copy-from clone template',
  'company-name': 'company',
  'address-line1': 'street address',
  'postal-code': 'zip zip-code postcode plz',
  'country-code': 'country',
  'currency-code': 'currency',
  'time-zone': 'timezone tz zone',
  'default-check-in-time': 'check-in checkin check-in-time',
  'default-check-out-time': 'check-out checkout check-out-time',
  preset: 'provider service',
  web: 'sso browser oauth',
  'with-token': 'token',
  'token-file': 'token',
  'client-secret-file': 'client-secret secret',
});

/** The names of ours by each of the others. */
function synonyms(table: Readonly<Record<string, string>>): Readonly<Record<string, readonly string[]>> {
  const found = new Map<string, string[]>();
  for (const [ours, others] of Object.entries(table))
    for (const other of others.split(' ')) found.set(other, [...(found.get(other) ?? []), ours]);
  return Object.fromEntries(found);
}
