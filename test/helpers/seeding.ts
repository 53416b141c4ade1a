import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { Connect, WireRequest, WireResponse } from '../../src/model/ports.ts';
import type { SeedName } from '../../src/sandbox/seeds/names.ts';
import type { DialectName } from '../../src/service/operations.ts';
import { connectUndici } from '../../src/service/wire/undici.ts';
import { cli, type Result, type Situation } from './cli.ts';
import { parseFault, startSandbox } from './fault-front.ts';

/** One service for several runs, and a folder of files for them. */
export interface Seeding {
  readonly folder: string;
  /** The base URL of both areas. */
  readonly url: string;
  /** Writes of all runs so far: `POST /inventory/v1/properties`. */
  readonly writes: string[];
  /** The idempotency keys of all creations so far. */
  readonly keys: string[];
  /** Writes a file. @returns its path. */
  file(name: string, content: string | Uint8Array): Promise<string>;
  innctl(
    line: string | readonly string[],
    situation?: Situation & {
      readonly onWrite?: OnRequest;
      readonly onRead?: OnRequest;
      readonly instead?: Instead;
    },
  ): Promise<Result>;
  /** E-mail addresses of all invitations. */
  invited(): Promise<readonly string[]>;
  /** Ids of all properties. */
  hotels(): Promise<readonly string[]>;
  /** Names of all units of a property, in the dialect apaleo. */
  units(property: string): Promise<readonly string[]>;
}

/** Called before each request. */
type OnRequest = (request: Pick<WireRequest, 'method' | 'url' | 'body'>) => void;

/** Replaces the response to a GET of a path; silence is no response; `undefined` keeps the response of the service. */
type Instead = (path: string) => Spoilt | 'silence' | undefined;

interface Spoilt {
  readonly status: number;
  readonly body: string;
}

/** Starts a service with these faults, as in `sandbox serve --fault`; it is closed after the test. */
export async function seeding(...faults: readonly string[]): Promise<Seeding> {
  return seedingAt(Date.now, ...faults);
}

/** The same with this clock. @param now milliseconds since the epoch. */
export async function seedingAt(now: () => number, ...faults: readonly string[]): Promise<Seeding> {
  return seedingIn('contract', now, ...faults);
}

/** The same in a dialect. */
export function seedingIn(
  dialect: DialectName,
  now: () => number,
  ...faults: readonly string[]
): Promise<Seeding> {
  return seedingFrom('small', dialect, now, ...faults);
}

/** The same from a seed. */
export async function seedingFrom(
  seed: SeedName,
  dialect: DialectName,
  now: () => number,
  ...faults: readonly string[]
): Promise<Seeding> {
  const folder = await mkdtemp(join(tmpdir(), 'innctl-'));
  const state = { folder: join(folder, 'service'), now, dialect, seed };
  const sandbox = await startSandbox({ ...state, faults: faults.map(parseFault) });
  const calm = await startSandbox(state);
  onTestFinished(async () => {
    await sandbox.close();
    await calm.close();
    await rm(folder, { recursive: true, force: true });
  });
  const writes: string[] = [];
  const keys: string[] = [];
  const urls = { INNCTL_IDENTITY_URL: sandbox.url, INNCTL_BASE_URL: sandbox.url };
  const env = { ...urls, INNCTL_TOKEN: sandbox.token, INNCTL_DIALECT: dialect };
  const nothing = () => {};
  const watched = (
    onWrite: OnRequest = nothing,
    onRead: OnRequest = nothing,
    instead: Instead = () => undefined,
  ): Connect => {
    return async (options) => {
      const transport = await connectUndici(options);
      return {
        close: transport.close,
        request: (request) => {
          if (request.method === 'GET') {
            onRead(request);
            const answer = instead(new URL(request.url).pathname);
            if (answer === 'silence') return silence(request);
            return answer === undefined ? transport.request(request) : answered(answer);
          }
          writes.push(`${request.method} ${new URL(request.url).pathname}`);
          const key = request.headers['idempotency-key'];
          if (key !== undefined) keys.push(key);
          onWrite(request);
          return transport.request(request);
        },
      };
    };
  };
  const list = async (path: string, field: string) => {
    const answer = await fetch(`${calm.url}${path}`, { headers: { authorization: `Bearer ${calm.token}` } });
    const body: unknown = answer.status === 204 ? {} : await answer.json();
    // Each list of the sandbox has one key, and its records have strings in these fields.
    const [items = []] = Object.values(body as Record<string, unknown>).filter(Array.isArray) as Record<
      string,
      string
    >[][];
    return items.map((item) => item[field] ?? '');
  };
  return {
    folder,
    url: sandbox.url,
    writes,
    keys,
    async file(name, text) {
      const path = join(folder, name);
      await writeFile(path, text);
      return path;
    },
    innctl: (line, { onWrite, onRead, instead, ...situation } = {}) =>
      cli(line, {
        folder: join(folder, 'config'),
        connect: watched(onWrite, onRead, instead),
        ...situation,
        env: { ...env, ...situation.env },
      }),
    invited: () => list('/api/v1/invitations', 'email'),
    hotels: () => list('/inventory/v1/properties', 'id'),
    units: (property) => list(`/inventory/v1/units?propertyId=${property}&status=All`, 'name'),
  };
}

function silence({ signal }: WireRequest): Promise<never> {
  return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
}

async function answered({ status, body }: Spoilt): Promise<WireResponse> {
  return { status, headers: { 'x-request-id': 'spoilt-1' }, bytes: Buffer.from(body) };
}

/** A property as an entry of a YAML list. */
export function hotelEntry(code: string, company = 'Nord GmbH'): string {
  return `  - code: ${code}
    name: { en: Hotel ${code} }
    company_name: ${company}
    commercial_register_entry: HRB 1
    tax_id: DE1
    location: { address_line1: Am Kai 1, postal_code: 20457, city: Hamburg, country_code: DE }
    time_zone: Europe/Berlin
    default_check_in_time: 15:00:00
    default_check_out_time: 11:00:00
    currency_code: EUR
`;
}

/** A manifest of properties. */
export function hotelsYaml(...codes: readonly string[]): string {
  return `properties:\n${codes.map((code) => hotelEntry(code)).join('')}`;
}

/** A manifest of people to invite as housekeepers at BER. */
export function peopleYaml(...emails: readonly string[]): string {
  const entry = (email: string) => `  - { email: ${email}, role: Housekeeping, properties: [BER] }\n`;
  return `invitations:\n${emails.map(entry).join('')}`;
}
