import { parsedJson } from '../model/json-text.ts';
import { isRecord } from '../model/records.ts';
import { kinds } from './entry.ts';
import type { Reading } from './grammar.ts';
import { LEFT_OUT, lists } from './kind.ts';
import type { SourceText } from './read.ts';

/** An entry has one of them, in every kind. */
const ofEntries: readonly string[] = ['code', 'email', 'subject_id'];

/** Of these names, the top level of a manifest has at least one. */
const ours: readonly string[] = [...lists.keys(), LEFT_OUT, ...ofEntries];

/**
 * Whether a file of a folder is a manifest, or should be one: its top level has a name of ours, or its header such a column. A
 * file that is broken counts if it has such a name, so that it is reported.
 */
export async function isManifestFile(source: SourceText, reading: Reading): Promise<boolean> {
  const { language, bytes } = source;
  if (language === 'csv' || language === 'xlsx') return isTable(source, reading);
  // What is no UTF-8 may be a manifest: reading it says what it is.
  if (/^(fffe|feff)/.test(Buffer.from(bytes.subarray(0, 2)).toString('hex'))) return true;
  const text = new TextDecoder().decode(bytes);
  if (language === 'yaml') return isYaml(text);
  const json = language === 'ndjson' ? (text.split(/\r?\n/).find((line) => line.trim() !== '') ?? '') : text;
  const value = parsedJson(json);
  return value === undefined ? namedInJson.test(json) : isOurs(value);
}

async function isTable(source: SourceText, reading: Reading): Promise<boolean> {
  try {
    const { tableIn } = await import('./table-source.ts');
    for await (const { cells } of (await tableIn(source, reading)).rows)
      return cells.some((cell) => isKey(cell.trim(), reading.headers));
    return false;
  } catch {
    // Reading it says what is wrong.
    reading.signal.throwIfAborted();
    return true;
  }
}

function isKey(header: string, headers: Reading['headers']): boolean {
  if (header === '') return false;
  return kinds.some((kind) => ['kind', ...ofEntries].includes(headers.columnFor(header, [kind]) ?? ''));
}

/** Whether a value is a manifest, an entry, or a list of entries. A JSON Schema has a part `properties`, too. */
function isOurs(value: unknown): boolean {
  if (Array.isArray(value)) return value.some((each) => isRecord(each) && isOurs(each));
  if (!isRecord(value) || /json-schema\.org/.test(String(value['$schema']))) return false;
  return ours.some((name) => Object.hasOwn(value, name)) || kinds.some((kind) => value['kind'] === kind);
}

const NAME = `["']?(?:(?:${ours.join('|')})["']?\\s*:|kind["']?\\s*:\\s*["']?(?:${kinds.join('|')})\\b)`;

const namedInJson = new RegExp(`[{,[\\s]${NAME}`);
/** At the beginning of a line, of an item, or of a field of an item. */
const namedInMap = new RegExp(`^${NAME}`, 'm');
const namedInList = new RegExp(`^(?:- *(?:\\{(?:.*,)? *)?|  )${NAME}`, 'm');

/** YAML is slow to parse, so its top level is found by the indentation. */
function isYaml(text: string): boolean {
  const first = /^(?!#|---|%|\s*$).+/m.exec(text.replace(/^\ufeff/, ''))?.[0] ?? '';
  if (/^[{[]/.test(first)) return namedInJson.test(text);
  return namedInMap.test(text) || (first.startsWith('-') && namedInList.test(text));
}
