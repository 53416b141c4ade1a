import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { type Started, start } from './started.ts';

const SHARED = '/dev/shm';

/** A user of the proxy. */
export interface Caller {
  readonly name: string;
  readonly password: string;
}

/**
 * Starts squid, which must be installed. With a caller it requires authentication.
 *
 * @param rules further lines of its configuration, before `allow all`.
 */
export async function startSquid(caller: Caller | undefined, ...rules: readonly string[]): Promise<Started> {
  const service = `innctl${randomBytes(8).toString('hex')}`;
  const started = await start(({ folder, port }) => ({
    files: {
      'squid.conf': [
        `http_port 127.0.0.1:${port}`,
        'pid_filename none',
        'access_log none',
        'cache_log /dev/null',
        'netdb_filename none',
        'pinger_enable off',
        'shutdown_lifetime 0 seconds',
        'visible_hostname proxy.example.com',
        'cache deny all',
        ...(caller === undefined ? [] : authentication(folder)),
        ...rules,
        'http_access allow all',
        '',
      ].join('\n'),
      ...(caller === undefined ? {} : { users: `${caller.name}:${hashOf(caller.password)}\n` }),
    },
    command: ['squid', '-N', '-n', service, '-f', 'squid.conf'],
  }));
  return {
    ...started,
    async [Symbol.asyncDispose]() {
      await started[Symbol.asyncDispose]();
      removeShared(service);
    },
  };
}

/** Deletes the shared memory that a killed squid leaves under its service name. */
function removeShared(service: string): void {
  const names = readdirSync(SHARED).filter((name) => name.startsWith(`${service}-`));
  for (const name of names) rmSync(join(SHARED, name));
}

function authentication(folder: string): readonly string[] {
  return [
    `auth_param basic program /usr/lib/squid/basic_ncsa_auth ${folder}/users`,
    'auth_param basic children 1 startup=1',
    'auth_param basic utf8 off',
    'acl known proxy_auth REQUIRED',
    'http_access deny !known',
  ];
}

function hashOf(password: string): string {
  return execFileSync('openssl', ['passwd', '-apr1', '-stdin'], { input: password, encoding: 'utf8' }).trim();
}
