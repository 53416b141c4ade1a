import { ExitCode, type ExitCodeName, exitCodeMeanings } from '../../cli/exit-codes.ts';
import { settings } from '../../config/settings.ts';
import { safetyLevels } from '../../service/guard.ts';
import { columnFor, linesOf, type Row } from './page.ts';

/** Help topics by name; each makes its text, for so many columns, from what the program itself works with. */
export const topics: Readonly<Record<string, (width: number) => string>> = {
  environment,
  'exit-codes': exitCodes,
  formatting,
  safety,
};

function exitCodes(): string {
  const names = Object.keys(ExitCode) as ExitCodeName[];
  const lines = names.map((name) => `${String(ExitCode[name]).padStart(5)}  ${exitCodeMeanings[name]}`);
  return ['Exit codes', '', ...lines, ''].join('\n');
}

function environment(width: number): string {
  const rows = settings.map(({ env, summary }): Row => [env, summary]);
  return [
    'Environment variables',
    '',
    ...linesOf(rows, width, columnFor(rows, width)),
    '',
    'A flag wins over a variable, a variable over the profile. Of INNCTL_SAFETY,',
    'INNCTL_PROTECT and INNCTL_FREEZE, and what the profile says of them, the',
    'strictest counts; whoever INNCTL_EXPECT_ACCOUNT, --expect-account and the',
    'profile name must all be the one that asks.',
    '',
    'Heeded as everywhere: HTTPS_PROXY, HTTP_PROXY, NO_PROXY, NODE_EXTRA_CA_CERTS;',
    'XDG_CONFIG_HOME, XDG_STATE_HOME; NO_COLOR, FORCE_COLOR, CLICOLOR_FORCE,',
    'CLICOLOR, TERM. VISUAL, else EDITOR, is the editor of edit; BROWSER is the',
    'browser of login where INNCTL_BROWSER names none. Where CI is set, nobody is',
    'asked. With ACCESSIBLE=1 or TERM=dumb tables have no lines, and nothing on the',
    'screen is drawn twice. With NODE_TLS_REJECT_UNAUTHORIZED=0 nothing is sent',
    'over TLS.',
    '',
  ].join('\n');
}

function safety(): string {
  return `Safety

What harms is asked for. Withdrawing an invitation, taking properties away, and
giving or taking full access need a yes, or --yes.
Deleting a property and disabling a user need the name, typed or given as
--confirm <name>; --yes is not enough. Where nobody can be asked, missing
consent is exit ${ExitCode.blocked}. "api" asks for the same where it knows the path; what else
destroys (archive, reset, any other DELETE or "-actions" path) and set-live need
--confirm with the id in the path.

A file of many rows shows its plan and needs a yes, or --yes. What it deletes
and whom it disables needs --max-deletes <n> as well.

Nobody is locked out by mistake: what disables or demotes your own user, or the
last enabled account admin, is refused (exit ${ExitCode.blocked}), in files too.
--allow-lockout <whole e-mail> lifts that for one person.

Guard rails forbid writes, "api" included, before anything is sent; blocked is
exit ${ExitCode.blocked}. They stand in a profile (innctl config set <key> <value>) or in a
variable, and the strictest of both counts:

  safety   INNCTL_SAFETY   ${safetyLevels.join(', ')}
                           forbid nothing, what destroys, what changes as well,
                           every write
  protect  INNCTL_PROTECT  ids that no write may name in its path or query, and
                           what is inside them (BER-DBL): BER,LIVE-*
  freeze   INNCTL_FREEZE   days on which nothing is written, here or in UTC:
                           2026-12-20..2027-01-06

--expect-account <name> (INNCTL_EXPECT_ACCOUNT, expect_account): nothing is done,
reading included, unless the token is that of this account, user, e-mail address
or client; otherwise, and where nobody can tell, exit ${ExitCode.blocked}.

In the body of "api" guards read propertyId only: a protected property can still
be granted to a user.

--dry-run prints the write that would be sent, and sends none. Reads are made.
An update or a deletion is read back: confirmed, not yet visible, or not
readable; --no-verify leaves that out. A write without an answer is settled by
its idempotency key or by reading; what stays unknown is exit ${ExitCode.unknown}. Its hint is
one command line that settles it: type it as it is, up to three times.
An invitation that no list shows is sent again with --resend-unknown alone.
`;
}

/** The help topic `formatting`: how results are printed. At most 80 columns. */
export function formatting(): string {
  return `How results are printed

On a terminal a list is a table, or cards where the table would be too wide; a
single record is a card. In a pipe a list is rows with a tab between cells,
without a header, nothing cut, dates as the service wrote them. Results go to
stdout, everything else to stderr.

  -o, --output <format>  or INNCTL_OUTPUT, or innctl config set output <format>
    table   a table; on a terminal too narrow for it all cells but ids are cut
            to 60 columns, then the widest to 30; a list that still does not fit
            is cards
    cards   a block for each record, nothing cut
    json    one document; a list is {"count": 3, "items": [...]}, with
            "has_more": true where --limit cut it
    ndjson  one record a line, as the pages arrive
    csv     for spreadsheets: a header, then rows; a record is field,value
    tsv     rows with a tab between cells; tab, newline and backslash within
            a cell are written \\t, \\n and \\\\
    yaml    the document of json, as YAML
    In cells the properties of a user show the roles at each of them:
    BER: FrontDesk, Auditor; MUC: Auditor; VIE: none. One without a colon is
    shown without roles. In JSON and YAML a user has properties, a list of ids,
    and property_roles, a list of {"id", "roles"}, listed or alone; --fields
    names each of them alone.

  --json             the same as --output json; errors are JSON as well

  --fields <fields>  only these, in this order, in every format:
    innctl properties list --fields id,location.city
    innctl users list --fields email,property_roles.0.roles -o csv
    A dot leads into a field, a number to an entry of a list. What a record
    lacks is null, or an empty cell. A field that nothing has is exit 2, unless
    records of its kind may have it: tax_id, location.city, name.de.

  --query <expression>  what a JMESPath expression finds in the document of
                        --json, after --fields; on errors as --json
    innctl properties list --query 'items[?status==\`Live\`].name'
    innctl users list --query 'length(items[?enabled])'
    innctl invitations list --query "items[?created<'2026-10-23'].email"
    < and > compare two texts by code point, or two numbers. The language is
    described at https://jmespath.site.

  -r, --raw          with --query: texts without quotes, a list one a line:
    innctl properties list --query 'items[].id' -r

  -q, --quiet        ids alone, one a line; of a write no sentence:
    innctl properties list -q | xargs -n1 innctl properties get
    Of a list, what has no id is left out with a warning; everything else
    without an id is shown as without -q.

  --no-headers       table and csv without their first line

Colour marks what words say as well: --color auto, always or never, else
INNCTL_COLOR, NO_COLOR, FORCE_COLOR, CLICOLOR_FORCE, CLICOLOR=0 and TERM=dumb,
else whether it goes to a terminal. ACCESSIBLE=1 and TERM=dumb draw no boxes.
Characters that a terminal would obey or hide are shown as \\u{1b}, in JSON and
YAML as their escapes.
`;
}
