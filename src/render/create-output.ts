import type { Sink } from '../context.ts';
import { CliError } from '../errors.ts';
import type { Page } from '../records.ts';
import { plainDocument } from './documents.ts';
import type { Format, Output, Shape } from './output.ts';
import { openPaint } from './paint.ts';
import { type Style, styles } from './styles.ts';
import { neutralise } from './text.ts';

export interface OutputOptions {
  readonly stdout: Sink;
  readonly stderr: Sink;
  /** `undefined`: a table on a terminal, tsv in a pipe. */
  readonly format: Format | undefined;
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

/** The output of one run: results on stdout in one format, the conversation on stderr. */
export function createOutput({
  stdout,
  stderr,
  colour,
  plain,
  now,
  clean,
  ...options
}: OutputOptions): Output {
  const format = options.format ?? (stdout.isTerminal ? 'table' : 'tsv');
  const style: Style = styles[format];
  const { isTerminal, columns } = stdout;
  const screen = { isTerminal, columns, colour: colour.stdout, plain, now, clean };
  const say = (sentence: string) => stderr.write(`${neutralise(sentence)}\n`);
  return {
    async records(shape, pages, facts = {}) {
      const tally = { shown: 0, total: undefined, truncated: false };
      const pieces = style.list(shape, counted(pages, tally), screen, facts);
      for await (const text of pieces) await stdout.write(text);
      const remark = remarkOn(shape, tally, isTerminal && format !== 'json' && format !== 'yaml');
      if (remark !== undefined) await say(remark);
    },
    record: async (shape, record) => stdout.write(await style.record(shape, record, screen)),
    async document(value, parts = {}) {
      const print = async () => {
        const pieces = (style.document ?? plainDocument)(value, parts);
        for await (const text of pieces) await stdout.write(text);
      };
      await (parts.write === undefined ? print() : print().catch(afterAll(parts.write)));
    },
    async done(sentence, facts) {
      if (style.facts === undefined) return say(sentence);
      const text = await style.facts(facts);
      return stdout.write(text).catch(afterAll(sentence));
    },
    async line(text, facts) {
      const inFacts = style.line ?? style.facts;
      await stdout.write(inFacts === undefined ? `${neutralise(text)}\n` : await inFacts(facts));
    },
    note: say,
    async warn(sentence) {
      if (options.held !== undefined) {
        options.held.push(sentence);
        return;
      }
      const { warning } = await openPaint(colour.stderr);
      await stderr.write(`${warning('warning:')} ${neutralise(sentence)}\n`);
    },
  };
}

/** A write was carried out, whatever becomes of its result. */
function afterAll(sentence: string) {
  return (error: unknown): never => {
    if (!(error instanceof CliError)) throw error;
    throw new CliError(error.code, `${sentence} But the result could not be printed. ${error.message}`, {
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

/** What people must be told about a list: that records are missing, always; that it is empty, where nothing shows it. */
function remarkOn({ noun: [, plural] }: Shape, tally: Tally, saysEmpty: boolean): string | undefined {
  const { shown, total, truncated } = tally;
  if (truncated && total !== undefined) {
    return `Showing ${shown} of ${total} ${plural}; add --all or --limit ${total}.`;
  }
  if (truncated) return `Showing ${shown} ${plural}, and there are more; add --all.`;
  if (shown > 0 || !saysEmpty) return undefined;
  return total ? `No ${plural} on this page; there are ${total} in all.` : `No ${plural}.`;
}
