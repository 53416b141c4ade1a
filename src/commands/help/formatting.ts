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
