import { X509Certificate } from 'node:crypto';
import { stat } from 'node:fs/promises';
import { readBytes, reasonOf } from '../fs/read.ts';
import { CliError, ExitCode } from '../model/errors.ts';

/** Bundles of operating systems have about 250 KiB. */
const MAX_MIB = 4;

/** A file of certificates and the setting that named it. */
interface AuthorityFile {
  readonly path: string;
  /** For messages: `--ca-file`, `INNCTL_CA_FILE`, `profile chain`. */
  readonly source: string;
}

/**
 * PEM texts of the authorities to trust besides Node's own roots; empty without a file. With a file they include those of
 * NODE_EXTRA_CA_CERTS, which Node ignores when authorities are given.
 *
 * @throws {CliError} `ca_file`, exit 2, naming the file and its source.
 */
export async function readAuthorities(
  file: AuthorityFile | undefined,
  env: Readonly<Record<string, string | undefined>>,
): Promise<readonly string[]> {
  if (file === undefined) return [];
  const text = await readText(file.path).catch((cause) => {
    throw problem(file, `cannot be read: ${reasonOf(cause)}`, cause);
  });
  const own = certificatesIn(text);
  if (own.length === 0 || !own.every(isCertificate))
    throw problem(file, 'holds no certificate in PEM form, or one that cannot be read');
  return [...own, ...(await readExtra(env['NODE_EXTRA_CA_CERTS']))];
}

/** Reads only regular files: this is read at every start, and a pipe would be empty at the second one. */
async function readText(path: string): Promise<string> {
  const found = await stat(path);
  if (!found.isFile()) throw new Error('it is not a file');
  if (found.size > MAX_MIB * 1_048_576) throw new Error(`it is larger than ${MAX_MIB} MiB`);
  return Buffer.from(await readBytes(path, MAX_MIB * 1_048_576)).toString('latin1');
}

/** Node itself warns if it cannot read this file. */
async function readExtra(path: string | undefined): Promise<readonly string[]> {
  if (!path) return [];
  const text = await readText(path).catch(() => '');
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

function problem({ path, source }: AuthorityFile, what: string, cause?: unknown): CliError {
  const sentence = `The file of trusted certificates ${path}, given by ${source}, ${what}.`;
  return new CliError('ca_file', sentence, {
    cause,
    exitCode: ExitCode.usage,
    hint: 'Give a file of PEM certificates (-----BEGIN CERTIFICATE-----).',
  });
}
