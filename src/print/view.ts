import { usageError } from '../cli/errors.ts';
import { quote } from '../model/text.ts';

/** The flags that say what of a result is wanted, as typed. */
export interface ViewFlags {
  readonly json?: boolean | undefined;
  readonly output?: string | undefined;
  readonly fields?: readonly string[] | undefined;
  readonly query?: string | undefined;
  readonly raw?: boolean | undefined;
  /** `false`: --no-headers. */
  readonly headers?: boolean | undefined;
  readonly quiet?: boolean | undefined;
}

/** What of a result is wanted, besides its format. */
export type View = Awaited<ReturnType<typeof openView>>;

/**
 * What the flags ask for.
 *
 * @throws {CliError} exit 2 when two of them contradict each other, a field has no name, or the query is no expression.
 */
export async function openView(flags: ViewFlags) {
  refuseContradictions(flags);
  const { fields, query, raw = false, headers = true, quiet = false } = flags;
  return {
    /** Dotted paths, each once; `undefined`: everything. */
    fields: fields && (await import('./asked-fields.ts')).fieldsFrom(fields),
    query: query === undefined ? undefined : (await import('./query.ts')).compileQuery(query),
    /** Texts that a query finds, without quotes. */
    raw,
    headers,
    /** Prints only ids. */
    quiet,
  };
}

function refuseContradictions({ json, output, fields, query, raw, headers, quiet }: ViewFlags): void {
  if (json === true && output !== undefined && output !== 'json') {
    throw usageError(`--json and --output ${quote(output)} contradict each other.`);
  }
  if (query !== undefined && output !== undefined && output !== 'json') {
    throw usageError(`--query prints JSON; it cannot be combined with --output ${quote(output)}.`);
  }
  if (raw === true && query === undefined) {
    throw usageError('--raw prints what --query finds: add --query.', 'innctl help formatting');
  }
  const beside = { '--json': json, '--output': output, '--fields': fields, '--query': query };
  const given = Object.entries(beside).flatMap(([flag, value]) => (value === undefined ? [] : [flag]));
  const others = [...given, ...(headers === false ? ['--no-headers'] : [])];
  if (quiet === true && others.length > 0) {
    throw usageError(`--quiet prints only ids; it cannot be combined with ${others.join(', ')}.`);
  }
}
