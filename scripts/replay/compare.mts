import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as v from 'valibot';
import { parse } from 'yaml';
import type { Result } from './runs.mts';

const pattern = v.pipe(
  v.string(),
  v.transform((text) => new RegExp(text)),
);

/** allowed.yaml: differences that are wanted. */
const schema = v.array(v.strictObject({ line: pattern, diff: v.optional(pattern), reason: v.string() }));

export type Allowed = v.InferOutput<typeof schema>[number];

export function readAllowed(text: string): readonly Allowed[] {
  return v.parse(schema, parse(text) ?? []);
}

/**
 * The entries that together allow a difference; `undefined` if a row of it is allowed by none.
 *
 * @param line as it is typed after `innctl`.
 * @param rows that were removed or added, with `-` or `+` before them.
 */
export function allowing(
  line: string,
  rows: readonly string[],
  entries: readonly Allowed[],
): readonly Allowed[] | undefined {
  const fitting = entries.filter((entry) => entry.line.test(line));
  const found = rows.map((row) => fitting.filter(({ diff }) => diff?.test(row) ?? true));
  return found.some((each) => each.length === 0) ? undefined : [...new Set(found.flat())];
}

/** What a line did, as rows: the exit code, what was printed, and the requests. */
export function rowsOf({ exitCode, stdout, stderr, requests }: Result): readonly string[] {
  const printed = (name: string, text: string) => text.split('\n').map((row) => `${name}| ${row}`);
  const sent = inOneOrder(requests).flatMap(({ method, url, headers, body }) => [
    `request| ${method} ${url}`,
    ...headersOf(headers).map((header) => `request|   ${header}`),
    ...(body === '' ? [] : [`request|   ${body}`]),
  ]);
  const rows = [`exit ${exitCode}`, ...printed('stdout', stdout), ...printed('stderr', stderr), ...sent];
  return withSteadyIds(steadied(rows.join('\n'))).split('\n');
}

/** Reads that follow one another go out at once, and so in any order. */
function inOneOrder(requests: Result['requests']): Result['requests'] {
  const writes = requests.flatMap(({ method }, index) => (method === 'GET' ? [] : [index]));
  const starts = [-1, ...writes];
  return starts.flatMap((start, index) => {
    const reads = requests.slice(start + 1, starts[index + 1]);
    return [
      ...requests.slice(Math.max(start, 0), start + 1),
      ...reads.toSorted((a, b) => a.url.localeCompare(b.url)),
    ];
  });
}

/** Headers that belong to a connection or follow from the body. */
const dull = ['host', 'connection', 'content-length', 'transfer-encoding'];

function headersOf(raw: readonly string[]): readonly string[] {
  return raw
    .flatMap((name, index) => (index % 2 === 0 ? [`${name.toLowerCase()}: ${raw[index + 1]}`] : []))
    .filter((header) => !dull.includes(header.slice(0, header.indexOf(':'))));
}

/** Leaves out what differs from run to run: times, names of journals (of the path of the home), and tokens of a sandbox. */
function steadied(text: string): string {
  return text
    .replaceAll(/\b\d+ ms\b/g, '5 ms')
    .replaceAll(/\b[\d.,]+ rows\/s/g, '50 rows/s')
    .replaceAll(/\bin \d+ s\b/g, 'in 1 s')
    .replaceAll(/\b[\da-f]{32}\.ndjson/g, 'journal.ndjson')
    .replaceAll(/"(token|client_secret)":"[^"]+"/g, '"$1":"secret"')
    .replaceAll(/"pid":\d+/g, '"pid":1')
    .replaceAll(/\babout \d+ s left/g, 'about 1 s left')
    .replaceAll(/\bdate: \w{3}, [^\n]*GMT/g, 'date: now');
}

/** Numbers the ids that a line made in the order in which they are seen. */
function withSteadyIds(text: string): string {
  const seen: string[] = [];
  return text.replaceAll(/\b0{8}-0000-4000-8000-[\da-f]{12}\b/g, (id) => {
    if (!seen.includes(id)) seen.push(id);
    return `<id ${seen.indexOf(id) + 1}>`;
  });
}

/** The difference with a few rows around it; empty if there is none. */
export function diffOf(before: readonly string[], after: readonly string[]): readonly string[] {
  if (before.join('\n') === after.join('\n')) return [];
  const folder = mkdtempSync(join(tmpdir(), 'innctl-diff-'));
  const write = (name: string, rows: readonly string[]) =>
    writeFileSync(join(folder, name), `${rows.join('\n')}\n`);
  write('before', before);
  write('after', after);
  const printed = gitDiff(folder);
  rmSync(folder, { recursive: true });
  return printed
    .slice(printed.indexOf('\n@@') + 1)
    .trimEnd()
    .split('\n');
}

/** git exits with 1 when files differ. */
function gitDiff(cwd: string): string {
  const line = ['diff', '--no-index', '--no-color', '--unified=2', 'before', 'after'];
  try {
    return execFileSync('git', line, { cwd, encoding: 'utf8', maxBuffer: 2 ** 26 });
  } catch (error) {
    return (error as { stdout: string }).stdout;
  }
}
