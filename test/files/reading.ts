import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { Headers } from '../../src/files/columns.ts';
import type { Entry } from '../../src/files/entry.ts';
import { readManifest } from '../../src/files/read.ts';
import { CliError, type Detail } from '../../src/model/errors.ts';
import type { Input } from '../../src/model/ports.ts';
import { contract, type Dialect } from '../../src/service/dialect.ts';
import { createPropertyNames } from '../../src/service/property-names.ts';

interface Situation {
  readonly stdin?: string | Uint8Array;
  /** Default: the contract. */
  readonly dialect?: Dialect;
  /** The paths to read, relative to the folder of the files; default: all of them, in the given order. */
  readonly paths?: readonly string[];
  /** The words of --map. */
  readonly map?: readonly string[];
  readonly mapRest?: 'ignore';
  readonly headerRow?: number;
  readonly hidden?: true;
  readonly prune?: true;
  /** Prepares the folder before it is read. */
  readonly prepare?: (folder: string) => Promise<void>;
}

/** The result of reading files; file names as they were given. */
export interface Reading {
  readonly entries: readonly Entry[];
  readonly problems: readonly string[];
  /** The sentence about all errors. */
  readonly message: string;
  readonly hint?: string | undefined;
  readonly warnings: readonly string[];
  /** Files of folders that are no manifests. */
  readonly skipped: readonly string[];
}

/** Writes files into a fresh folder and reads them as a manifest. */
export async function read(
  files: Readonly<Record<string, string | Uint8Array>>,
  {
    stdin = '',
    dialect = contract,
    paths = Object.keys(files),
    map = [],
    mapRest,
    headerRow,
    hidden,
    prune,
    prepare,
  }: Situation = {},
): Promise<Reading> {
  const folder = await mkdtemp(join(tmpdir(), 'innctl-'));
  const warnings: string[] = [];
  const names = createPropertyNames([]);
  names.see({ id: 'BER', name: 'Grand Hotel Berlin' });
  const short = (text: string) => text.replaceAll(`${folder}/`, '').replaceAll(folder, 'folder');
  try {
    for (const [name, text] of Object.entries(files)) {
      await mkdir(dirname(join(folder, name)), { recursive: true });
      await writeFile(join(folder, name), text);
    }
    await prepare?.(folder);
    const { entries, skipped } = await readManifest(
      paths.map((path) => (path === '-' || path.startsWith('/') ? path : join(folder, path))),
      {
        argv: ['plan'],
        stdin: inputOf(stdin),
        signal: new AbortController().signal,
        headers: new Headers(map, mapRest),
        headerRow,
        hidden,
        prune: prune === true,
        dialect,
        propertyNames: async () => names,
        warn: async (sentence) => {
          warnings.push(short(sentence));
        },
      },
    );
    const placed = entries.map((entry) => ({
      ...entry,
      place: { ...entry.place, file: short(entry.place.file) },
    }));
    return { entries: placed, problems: [], message: '', warnings, skipped: skipped.map(short) };
  } catch (error) {
    if (!(error instanceof CliError) || error.exitCode !== 2) throw error;
    const lines = error.details.length === 0 ? [error.message] : error.details.map(textOf);
    return {
      entries: [],
      problems: lines.map(short),
      message: short(error.message),
      hint: error.hint === undefined ? undefined : short(error.hint),
      warnings,
      skipped: [],
    };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** The columns of a property, and the row of `hotel()` under them. */
export const tableHeader =
  'code,name.en,company_name,commercial_register_entry,tax_id,location.address_line1,location.postal_code,location.city,location.country_code,time_zone,default_check_in_time,default_check_out_time,currency_code';
export const tableRow =
  'BER,Hotel Berlin,Innkeepers,HRB 1,DE1,Mohrenstr. 1,01067,Berlin,DE,Europe/Berlin,15:00:00,11:00:00,EUR';

/** A property with all of its fields, some of them changed; `undefined` omits one. */
export function hotel(changes: Readonly<Record<string, unknown>> = {}): Record<string, unknown> {
  const whole = {
    code: 'BER',
    name: { en: 'Hotel Berlin' },
    company_name: 'Innkeepers',
    commercial_register_entry: 'HRB 1',
    tax_id: 'DE1',
    location: { address_line1: 'Mohrenstr. 1', postal_code: '01067', city: 'Berlin', country_code: 'DE' },
    time_zone: 'Europe/Berlin',
    default_check_in_time: '15:00:00',
    default_check_out_time: '11:00:00',
    currency_code: 'EUR',
  };
  return Object.fromEntries(
    Object.entries({ ...whole, ...changes }).filter(([, value]) => value !== undefined),
  );
}

function textOf({ field, reason }: Detail): string {
  return `${field}: ${reason}`;
}

function inputOf(text: string | Uint8Array): Input {
  return { ends: new AbortController().signal, read: async () => Buffer.from(text) };
}
