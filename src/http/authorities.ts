import { X509Certificate } from 'node:crypto';
import { readFile, stat } from 'node:fs/promises';
import { CliError } from '../errors.ts';
import { ExitCode } from '../exit-codes.ts';

/** The bundles of operating systems have about 250 KiB. */
const MAX_BYTES = 4 * 1024 * 1024;

/** A file of certificates and the setting that named it. */
export interface AuthorityFile {
  readonly path: string;
  /** For sentences: `--ca-file`, `INNCTL_CA_FILE`, `profile chain`. */
  readonly source: string;
}

/**
 * PEM texts of the authorities to trust beside Node's own roots; empty, and nothing read, when no file is given.
 * With a file they include those of NODE_EXTRA_CA_CERTS: Node drops the ones it has read when others are given.
 *
 * @throws {CliError} `usage` naming the file and where it was set.
 */
export async function readAuthorities(
  file: AuthorityFile | undefined,
  env: Readonly<Record<string, string | undefined>>,
): Promise<readonly string[]> {
  if (file === undefined) return [];
  const own = certificatesIn(await readText(file));
  if (own.length === 0) throw problem(file, 'holds no certificate in PEM form');
  if (!own.every(isCertificate)) throw problem(file, 'holds a certificate that cannot be read');
  return [...own, ...(await readExtra(env['NODE_EXTRA_CA_CERTS']))];
}

async function readText(file: AuthorityFile): Promise<string> {
  try {
    const { size } = await stat(file.path);
    if (size <= MAX_BYTES) return await readFile(file.path, 'latin1');
  } catch (cause) {
    throw problem(file, `cannot be read (${reasonOf(cause)})`, cause);
  }
  throw problem(file, `is larger than ${MAX_BYTES} bytes`);
}

/** Node itself warns at its start when it cannot read this file, and goes on. */
async function readExtra(path: string | undefined): Promise<readonly string[]> {
  if (!path) return [];
  const text = await readFile(path, 'latin1').catch(() => '');
  return certificatesIn(text).filter(isCertificate);
}

function certificatesIn(text: string): readonly string[] {
  return text.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? [];
}

function isCertificate(pem: string): boolean {
  try {
    return new X509Certificate(pem).subject !== undefined;
  } catch {
    return false;
  }
}

const reasons: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file',
  ENOTDIR: 'there is no such file',
  EISDIR: 'it is a folder',
  EACCES: 'permission denied',
};

function reasonOf(cause: unknown): string {
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : 'unknown reason';
  return reasons[code] ?? code;
}

function problem({ path, source }: AuthorityFile, what: string, cause?: unknown): CliError {
  const sentence = `The file of trusted certificates ${path}, given by ${source}, ${what}.`;
  return new CliError('ca_file', sentence, {
    cause,
    exitCode: ExitCode.usage,
    hint: 'Give a file of PEM certificates (-----BEGIN CERTIFICATE-----).',
  });
}
