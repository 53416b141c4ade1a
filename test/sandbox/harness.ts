import { join } from 'node:path';
import { beforeEach, onTestFinished } from 'vitest';
import { type FaultyOptions, startSandbox } from '../helpers/fault-front.ts';
import { temporaryFolder } from '../helpers/folder.ts';

/** Noon of a day in spring. */
export const NOON = Date.UTC(2026, 3, 21, 12);

/** A folder that is removed after the test. */
export async function freshFolder(): Promise<string> {
  return join(await temporaryFolder(), 'sandbox');
}

/** A response; its body is decoded from JSON, `undefined` if it is empty. */
export interface Reply {
  readonly status: number;
  readonly headers: Headers;
  readonly body: unknown;
}

interface RequestOptions {
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Starts a sandbox for the test, in a fresh folder by default, and closes it afterwards. */
export async function sandbox(options: Partial<FaultyOptions> = {}) {
  const folder = options.folder ?? (await freshFolder());
  const running = await startSandbox({ now: () => NOON, ...options, folder });
  onTestFinished(running.close);
  return { ...running, folder, call: caller(running.url) };
}

/** Starts a sandbox for each test of the file. @returns what sends a request to it. */
export function sandboxOfEach(options: Partial<FaultyOptions> = {}) {
  let send = caller('');
  beforeEach(async () => {
    send = (await sandbox(options)).call;
  });
  return (...request: Parameters<typeof send>) => send(...request);
}

function caller(url: string) {
  return async (
    method: string,
    path: string,
    { body, headers = {} }: RequestOptions = {},
  ): Promise<Reply> => {
    const isText = typeof body === 'string' || body instanceof Uint8Array;
    const sent = body === undefined ? {} : { body: isText ? body : JSON.stringify(body) };
    const type = body === undefined ? {} : { 'content-type': 'application/json' };
    const response = await fetch(url + path, { method, headers: { ...type, ...headers }, ...sent });
    const text = await response.text();
    return {
      status: response.status,
      headers: response.headers,
      body: text === '' ? undefined : JSON.parse(text),
    };
  };
}

/** The body with which the sandbox rejects values. */
export function refusedValues(...details: readonly (readonly [field: string, reason: string])[]) {
  const message =
    details.length === 1
      ? 'A value was not accepted.'
      : `${details.length} values were not accepted: ${details.map(([field]) => field).join(', ')}.`;
  return {
    error: {
      code: 'validation_failed',
      message,
      details: details.map(([field, reason]) => ({ field, reason })),
    },
  };
}
