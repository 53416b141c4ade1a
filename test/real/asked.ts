import { connect } from 'node:net';
import { createServer } from 'node:tls';
import { expect } from 'vitest';
import { startSandbox } from '../../src/sandbox/server.ts';
import { connectUndici } from '../../src/service/wire/undici.ts';
import { cli, type Result } from '../helpers/cli.ts';
import { listen, rawServer, type TestServer } from '../helpers/servers.ts';
import type { Authority } from './certificates.ts';

type Env = Readonly<Record<string, string>>;

/** A token for services that never receive it. */
export const token = 'token-of-ana-1234567890';

/** Runs the program over real sockets. */
export function innctl(line: string | readonly string[], env: Env): Promise<Result> {
  return cli(line, { connect: connectUndici, env });
}

/** The environment variables that select this service. */
export function serviceEnv(origin: string, more: Env = {}): Env {
  return { INNCTL_IDENTITY_URL: origin, INNCTL_BASE_URL: origin, INNCTL_TOKEN: token, ...more };
}

/** How a run with `--json --debug` failed. */
export interface Failure {
  readonly exitCode: number;
  readonly code: string;
  readonly message: string;
  /** Requests that were started, retries included. */
  readonly tries: number;
}

/**
 * Runs a command that must fail, and checks that its output contains no secret.
 *
 * @param secrets in addition to the token.
 */
export async function failureOf(line: string, env: Env, secrets: readonly string[] = []): Promise<Failure> {
  const { exitCode, stdout, stderr } = await innctl(`${line} --json --debug`, env);
  const lines = stderr.split('\n');
  const rest = lines.filter((each) => !each.startsWith('debug: ')).join('\n');
  const { code, message } = JSON.parse(rest).error;
  expect(stdout).toBe('');
  for (const secret of [token, ...secrets]) expect(stderr).not.toContain(secret);
  expect(stderr).not.toMatch(/^\s+at /m);
  return {
    exitCode,
    code,
    message,
    tries: lines.filter((each) => /^debug: > .*\(try \d+\)$/.test(each)).length,
  };
}

/** Forwards connections to a local port and records them. */
export interface Front extends TestServer {
  /** Everything that clients sent so far, as Latin-1. */
  received(): string;
}

/** Forwards connections to this port. */
export async function frontOf(port: number): Promise<Front> {
  const chunks: Buffer[] = [];
  const server = await rawServer((client) => {
    const service = connect(port, '127.0.0.1').on('error', () => client.destroy());
    client.on('data', (chunk) => chunks.push(chunk));
    client.on('close', () => service.destroy());
    client.pipe(service).pipe(client);
  });
  return { ...server, received: () => Buffer.concat(chunks).toString('latin1') };
}

/** A sandbox behind TLS. */
export interface SecureSandbox extends AsyncDisposable {
  /** `https://localhost:port` */
  readonly origin: string;
  readonly port: number;
  readonly token: string;
  readonly connections: TestServer['connections'];
}

/** Serves a sandbox with a certificate for `localhost`, its data in `folder`. */
export async function secureSandbox(folder: string, authority: Authority): Promise<SecureSandbox> {
  const sandbox = await startSandbox({ folder, now: Date.now });
  const behind = Number(new URL(sandbox.url).port);
  const front = await listen(
    createServer(authority.issue('DNS:localhost,IP:127.0.0.1'), (client) => {
      const service = connect(behind, '127.0.0.1').on('error', () => client.destroy());
      client.on('error', () => {}).on('close', () => service.destroy());
      client.pipe(service).pipe(client);
    }),
  );
  return {
    origin: `https://localhost:${front.port}`,
    port: front.port,
    token: sandbox.token,
    connections: front.connections,
    async [Symbol.asyncDispose]() {
      await front[Symbol.asyncDispose]();
      await sandbox.close();
    },
  };
}
