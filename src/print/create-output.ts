import { CliError, usageError } from '../model/errors.ts';
import type { Pager, Sink, WireRequest } from '../model/ports.ts';
import type { Page } from '../model/records.ts';
import { quote } from '../model/text.ts';
import type { OutlineLine } from './outline.ts';
import type { Destination, Facts, Format, Output, Shape } from './output.ts';
import { openPaint } from './paint.ts';
import { type Style, styles } from './styles.ts';
import { neutralise, neutraliseMessage, toJson } from './text.ts';
import { labelled, widthOf, wrapped } from './width.ts';

export interface OutputOptions extends Pick<Destination, 'plain' | 'now' | 'clean'> {
  readonly stdout: Sink;
  readonly stderr: Sink;
  /** `undefined`: a table on a terminal, tsv in a pipe. */
  readonly format: Format | undefined;
  readonly view: View;
  /** Whether records may have a field, although none of the printed ones has it. */
  readonly isKnownField: (field: string, noun?: string) => boolean;
  readonly colour: { readonly stdout: boolean; readonly stderr: boolean };
  /** Starts the pager for lists; `undefined` where none is wanted. */
  readonly openPager?: (() => Promise<Pager | undefined>) | undefined;
  /** Collects the warnings instead of stderr, which then has one JSON object or nothing. */
  readonly held?: string[] | undefined;
}

/** The output of one run: results on stdout in one format, the conversation on stderr. */
export function createOutput(options: OutputOptions): Output {
  const { stdout, stderr, colour, view, held, clean } = options;
  const format = options.format ?? (stdout.isTerminal ? 'table' : 'tsv');
  const { isTerminal, columns } = stdout;
  const styleIn = (wanted: Format, hasNames: boolean) => {
    const headers = view.headers && hasNames;
    return styles[wanted]({ ...options, isTerminal, columns, colour: colour.stdout, headers });
  };
  // A secret is masked before a line may end within it.
  const shown = (sentence: string) => neutraliseMessage(clean(sentence));
  const say = async (sentence: string) =>
    stderr.write(`${await wrapped(shown(sentence), { columns: widthOf(stderr) })}\n`);
  const warn = async (sentence: string) => {
    if (held !== undefined) return void held.push(sentence);
    const { warning } = await openPaint(colour.stderr);
    await stderr.write(`${await labelled('warning:', shown(sentence), widthOf(stderr), warning)}\n`);
  };
  const isAsked = options.format !== undefined || view.quiet || view.fields !== undefined;
  const writeOutline = async (lines: Iterable<OutlineLine>, sink: Sink, withColour: boolean) => {
    const { outlineText } = await import('./outline.ts');
    const paper = { columns: widthOf(sink), colour: withColour, clean };
    for await (const text of outlineText(lines, paper)) await sink.write(text);
  };
  const paged = async (print: (sink: Sink) => Promise<void>) => {
    if (options.openPager === undefined) return print(stdout);
    return (await import('./pager.ts')).printPaged(options, options.openPager, print);
  };
  /** The format under --quiet, --query and --fields, which are loaded when they are asked for. */
  const openStyle = async ({ query, raw, quiet, fields }: View = view): Promise<Style> => {
    const whole = styleIn(format, true);
    if (quiet) return (await import('./view-styles.ts')).quietStyle(whole, warn);
    const form = raw ? 'raw' : format;
    const style = query === undefined ? whole : (await import('./query.ts')).queryStyle(query, form, styleIn);
    if (fields === undefined) return style;
    return (await import('./view-styles.ts')).askedStyle(style, fields, options.isKnownField, warn);
  };
  const textOrFacts = async (style: Style, text: string, facts: Facts, of: 'line' | 'unsent') =>
    stdout.write((await style.facts(facts, of)) ?? `${neutralise(text)}\n`);
  return {
    async records(shape, pages, facts = {}, outline) {
      const isOutline = outline !== undefined && isTerminal && !isAsked;
      const { outcome } = shape;
      if (isOutline) {
        await paged((sink) => writeOutline(outline, sink, colour.stdout));
        return outcome === undefined ? undefined : say(outcome);
      }
      const isBelow = format === 'md' && !view.quiet;
      const style = await openStyle();
      const tally = { shown: 0, total: undefined, truncated: false };
      await paged(async (sink) => {
        for await (const piece of style.list(shape, counted(pages, tally), facts)) {
          await (typeof piece === 'string' ? sink.write(piece) : say(piece.remark));
        }
        if (isBelow && outcome !== undefined)
          await sink.write(`${tally.shown === 0 ? '' : '\n'}${outcome}\n`);
      });
      const remark = tally.truncated
        ? stderr.isTerminal && cutRemark(shape, tally)
        : isTerminal && !style.showsEmpty && emptyRemark(shape, tally);
      if (remark) await say(remark);
      if (!isBelow && outcome !== undefined) await say(outcome);
    },
    async record(shape, record) {
      const style = await openStyle();
      await stdout.write(await style.record(shape, record));
    },
    async document(value, parts = {}) {
      const print = async () => {
        const style = await openStyle();
        for await (const text of style.document(value, parts)) await stdout.write(text);
      };
      await (parts.write === undefined ? print() : print().catch(afterWrite(parts.write)));
    },
    async done(sentence, facts) {
      const style = await openStyle();
      const text = await style.facts(facts, 'write').catch(afterWrite(sentence));
      if (text === undefined || style.printsSentence) await say(sentence);
      if (text !== undefined) await stdout.write(text).catch(afterWrite(sentence));
    },
    line: async (text, facts) => textOrFacts(await openStyle(), text, facts, 'line'),
    // --fields does not apply to a request that was not sent.
    unsent: async (text, facts) =>
      textOrFacts(await openStyle({ ...view, fields: undefined }), text, facts, 'unsent'),
    outline: (lines) => writeOutline(lines, stderr, colour.stderr),
    note: say,
    warn,
  };
}

/** Says in the error of a result that could not be printed that its write was carried out. */
function afterWrite(sentence: string) {
  return (error: unknown): never => {
    if (!(error instanceof CliError)) throw error;
    throw new CliError('output_failed', `${sentence} But the result could not be printed. ${error.message}`, {
      cause: error,
    });
  };
}

interface Tally {
  shown: number;
  /** The service's count. */
  total: number | undefined;
  truncated: boolean;
}

async function* counted(pages: AsyncIterable<Page>, tally: Tally): AsyncIterable<Page> {
  for await (const page of pages) {
    tally.shown += page.items.length;
    tally.total = page.total ?? tally.total;
    tally.truncated ||= page.truncated;
    yield page;
  }
}

/** The remark on a list that --limit cut; documents say `has_more`. */
function cutRemark({ noun: [, plural] }: Shape, { shown, total }: Tally): string {
  const of = total === undefined ? `${plural}, and there are more` : `of ${total} ${plural}`;
  return `Showing ${shown} ${of}; without --limit all are listed.`;
}

/** The remark on a list without records, where nothing else shows that it is empty. */
function emptyRemark({ noun: [, plural] }: Shape, { shown, total }: Tally): string | undefined {
  if (shown > 0) return undefined;
  return total ? `No ${plural} on this page; there are ${total} in all.` : `No ${plural}.`;
}

/**
 * A request that a dry run did not send, as text for people and as facts for programs.
 *
 * A body that JSON.parse would change (a number with too many digits, a duplicate member) is shown as the text that would
 * be sent; the facts have it as `body_text` instead of `body`.
 */
export function dryRunOf(request: Pick<WireRequest, 'method' | 'url' | 'headers' | 'body'>): [string, Facts] {
  const { method, url, headers, body: text } = request;
  const head = [`${method} ${url}`, ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`)];
  const shown = (lines: readonly string[], body: Facts): [string, Facts] => {
    const requests = [{ method, url, headers, ...body }];
    return [[...head, ...lines].join('\n'), { dry_run: true, requests }];
  };
  if (text === undefined) return shown([], {});
  const body: unknown = JSON.parse(text);
  return isLossless(body, text)
    ? shown(['', toJson(body, 2)], { body })
    : shown(['', text], { body_text: text });
}

/** Whether the value, serialised again, is the same text apart from whitespace. */
function isLossless(value: unknown, text: string): boolean {
  try {
    return JSON.stringify(value) === text.replaceAll(/("[^"\\]*(?:\\.[^"\\]*)*")|\s+/g, '$1');
  } catch {
    // Nested too deeply to be serialised.
    return false;
  }
}

/** The flags that say what of a result is wanted, as typed. */
interface ViewFlags {
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
    fields: fields && (await import('./view-styles.ts')).fieldsFrom(fields),
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
  if (query !== undefined && output !== undefined && !['json', 'csv', 'tsv', 'table'].includes(output)) {
    throw usageError(
      `--query prints JSON, csv, tsv or a table; it cannot be combined with --output ${quote(output)}.`,
    );
  }
  if (raw === true && output !== undefined && output !== 'json') {
    throw usageError(`--raw prints lines; it cannot be combined with --output ${quote(output)}.`);
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
