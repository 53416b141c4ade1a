import { CliError } from '../cli/errors.ts';
import type { Sink, WireRequest } from '../cli/ports.ts';
import type { Page } from '../model/records.ts';
import type { AskedFields } from './asked-fields.ts';
import { plainDocument } from './documents.ts';
import { toJson } from './json-styles.ts';
import type { Facts, Format, Output, Shape } from './output.ts';
import { openPaint } from './paint.ts';
import { type Screen, type Style, styles } from './styles.ts';
import { neutralise, neutraliseSaid } from './text.ts';
import type { View } from './view.ts';

export interface OutputOptions {
  readonly stdout: Sink;
  readonly stderr: Sink;
  /** `undefined`: a table on a terminal, tsv in a pipe. */
  readonly format: Format | undefined;
  readonly view: View;
  /** Whether records may have a field, although none at hand does. */
  readonly isKnownField: (field: string, noun?: string) => boolean;
  readonly colour: { readonly stdout: boolean; readonly stderr: boolean };
  /** Takes the warnings instead of stderr, which then holds one JSON object or nothing. */
  readonly held?: string[] | undefined;
  /** Tables without box drawing. */
  readonly plain: boolean;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** Masks secrets, in texts that are cut before they come to a stream. */
  readonly clean: (text: string) => string;
}

type Warn = Output['warn'];

/** The output of one run: results on stdout in one format, the conversation on stderr. */
export function createOutput(options: OutputOptions): Output {
  const { stdout, stderr, colour, view, held } = options;
  const format = options.format ?? (stdout.isTerminal ? 'table' : 'tsv');
  const screen = screenFor(options);
  const say = (sentence: string) => stderr.write(`${neutraliseSaid(sentence)}\n`);
  const warn = async (sentence: string) => {
    if (held !== undefined) {
      held.push(sentence);
      return;
    }
    const { warning } = await openPaint(colour.stderr);
    await stderr.write(`${warning('warning:')} ${neutraliseSaid(sentence)}\n`);
  };
  const opened = async () => ({
    style: await styleFor(styles[format], view, warn),
    asked: await askedFor(options, warn),
  });
  return {
    async records(shape, pages, facts = {}) {
      const { style, asked } = await opened();
      const tally = { shown: 0, total: undefined, truncated: false };
      const pieces = style.list(shape, counted(asked.pages(shape, pages), tally), screen, facts);
      for await (const text of pieces) await stdout.write(text);
      const saysEmpty = stdout.isTerminal && !style.showsEmpty;
      const remark = tally.truncated
        ? cutRemark(shape, tally, stderr.isTerminal)
        : emptyRemark(shape, tally, saysEmpty);
      if (remark !== undefined) await say(remark);
    },
    async record(shape, record) {
      const { style, asked } = await opened();
      await asked.record(shape, record);
      await stdout.write(await style.record(shape, record, screen));
    },
    async document(value, parts = {}) {
      const print = async () => {
        const { style, asked } = await opened();
        await asked.document(value, parts);
        const pieces = (style.document ?? plainDocument)(value, parts);
        for await (const text of pieces) await stdout.write(text);
      };
      await (parts.write === undefined ? print() : print().catch(afterAll(parts.write)));
    },
    async done(sentence, facts) {
      const { style, asked } = await opened();
      const { facts: inFacts, speaks } = style;
      await asked.facts(facts, true);
      if (inFacts === undefined || speaks === true) await say(sentence);
      if (inFacts === undefined) return;
      const print = async () => stdout.write(await inFacts(facts, screen));
      await print().catch(afterAll(sentence));
    },
    async line(text, facts) {
      const { style, asked } = await opened();
      await asked.facts(facts, false);
      await stdout.write(
        style.line === undefined ? `${neutralise(text)}\n` : await style.line(facts, screen),
      );
    },
    async unsent(text, facts) {
      const { style } = await opened();
      const inFacts = style.line && style.facts;
      await stdout.write(inFacts === undefined ? `${neutralise(text)}\n` : await inFacts(facts, screen));
    },
    note: say,
    warn,
  };
}

/** What few runs ask for is loaded by them. */
async function styleFor(whole: Style, { fields, query, raw, quiet }: View, warn: Warn): Promise<Style> {
  if (quiet) return (await import('./quiet-style.ts')).quietStyle(whole, warn);
  const style = query === undefined ? whole : (await import('./query-style.ts')).queryStyle(query, raw);
  return fields === undefined ? style : (await import('./chosen-style.ts')).chosenStyle(style, fields);
}

async function askedFor({ view, isKnownField }: OutputOptions, warn: Warn): Promise<AskedFields> {
  if (view.fields === undefined) return nothingAsked;
  const { createAskedFields } = await import('./asked-fields.ts');
  return createAskedFields(view.fields, isKnownField, warn);
}

const nothingAsked: AskedFields = {
  pages: (_shape, pages) => pages,
  record: async () => {},
  facts: async () => {},
  document: async () => {},
};

function screenFor({ stdout, colour, plain, view, now, clean }: OutputOptions): Screen {
  const { isTerminal, columns } = stdout;
  return { isTerminal, columns, colour: colour.stdout, plain, headers: view.headers, now, clean };
}

/** A write was carried out, whatever becomes of its result. */
function afterAll(sentence: string) {
  return (error: unknown): never => {
    if (!(error instanceof CliError)) throw error;
    throw new CliError('output_failed', `${sentence} But the result could not be printed. ${error.message}`, {
      cause: error,
    });
  };
}

interface Tally {
  shown: number;
  /** As the service counts. */
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

/** What a person is told of a list that --limit cut; documents say `has_more`. */
function cutRemark({ noun: [, plural] }: Shape, { shown, total }: Tally, isTold: boolean) {
  if (!isTold) return undefined;
  const of = total === undefined ? `${plural}, and there are more` : `of ${total} ${plural}`;
  return `Showing ${shown} ${of}; without --limit all are listed.`;
}

/** What is told of a list without records, where nothing shows that it is empty. */
function emptyRemark({ noun: [, plural] }: Shape, { shown, total }: Tally, isTold: boolean) {
  if (shown > 0 || !isTold) return undefined;
  return total ? `No ${plural} on this page; there are ${total} in all.` : `No ${plural}.`;
}

/**
 * A request that a dry run did not send, as text for people and as facts for programs.
 *
 * A body that would be read as something else than it says (a number with more digits than can be held, a member named
 * twice) is shown as the text that would be sent; the facts have it as `body_text` in place of `body`.
 */
export function rehearsal(
  request: Pick<WireRequest, 'method' | 'url' | 'headers' | 'body'>,
): [string, Facts] {
  const { method, url, headers, body: text } = request;
  const head = [`${method} ${url}`, ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`)];
  const sent = { method, url, headers };
  if (text === undefined) return [head.join('\n'), factsOf(sent)];
  const body: unknown = JSON.parse(text);
  if (!saysTheSame(body, text))
    return [[...head, '', text].join('\n'), factsOf({ ...sent, body_text: text })];
  return [[...head, '', toJson(body, { pretty: true })].join('\n'), factsOf({ ...sent, body })];
}

function factsOf(request: Facts): Facts {
  return { dry_run: true, requests: [request] };
}

/** Whether the value, written again, is the text but for the blanks between its parts. */
function saysTheSame(value: unknown, text: string): boolean {
  try {
    return JSON.stringify(value) === text.replaceAll(/("[^"\\]*(?:\\.[^"\\]*)*")|\s+/g, '$1');
  } catch {
    // Nested too deeply to be written.
    return false;
  }
}
