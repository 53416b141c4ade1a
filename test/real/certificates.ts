import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** A key and its certificate, as PEM texts. */
export interface KeyPair {
  readonly key: string;
  readonly cert: string;
}

/** When a certificate is valid: `YYYYMMDDHHMMSSZ`. Default: 2020 to 2099. */
export interface Life {
  readonly from?: string | undefined;
  readonly until?: string | undefined;
}

/** A certificate authority in a folder. Needs the `openssl` command. */
export interface Authority {
  /** PEM text, for --ca-file. */
  readonly cert: string;
  readonly file: string;
  /** The self-signed certificate of the authority, as one for a server. */
  readonly selfSigned: KeyPair;
  /**
   * Issues a certificate for a server.
   *
   * @param names as openssl writes them: `DNS:localhost,IP:127.0.0.1`.
   */
  issue(names: string, life?: Life): KeyPair;
  /** Creates an intermediate authority signed by this one. */
  below(): Authority;
}

const newKey = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];

const settings = `[ca]
database=index.txt
new_certs_dir=.
default_md=sha256
policy=any
serial=serial
unique_subject=no
[any]
commonName=supplied
`;

/** Creates an authority with its files in `folder`. */
export function createAuthority(folder: string): Authority {
  openssl(
    folder,
    ...['req', '-x509', ...newKey, '-keyout', 'ca.key', '-out', 'ca.pem'],
    ...['-subj', '/CN=Hotels CA', '-days', '2'],
  );
  return authorityIn(folder);
}

/** @param folder with `ca.key` and `ca.pem`. */
function authorityIn(folder: string): Authority {
  const read = (name: string) => readFileSync(join(folder, name), 'utf8');
  writeFileSync(join(folder, 'ca.cnf'), settings);
  writeFileSync(join(folder, 'index.txt'), '');
  writeFileSync(join(folder, 'serial'), '01\n');
  const own = { key: read('ca.key'), cert: read('ca.pem') };
  return {
    cert: own.cert,
    file: join(folder, 'ca.pem'),
    selfSigned: own,
    issue: (names, life = {}) => sign(folder, '/CN=server', `subjectAltName=${names}`, life),
    below() {
      const below = mkdtempSync(join(folder, 'below-'));
      const { key, cert } = sign(folder, '/CN=Hotels CA below', 'basicConstraints=critical,CA:TRUE', {});
      writeFileSync(join(below, 'ca.key'), key);
      writeFileSync(join(below, 'ca.pem'), cert);
      return authorityIn(below);
    },
  };
}

function sign(folder: string, subject: string, extension: string, life: Life): KeyPair {
  const { from = '20200101000000Z', until = '20991231235959Z' } = life;
  openssl(folder, 'req', '-new', ...newKey, '-keyout', 'new.key', '-out', 'new.csr', '-subj', subject);
  writeFileSync(join(folder, 'new.ext'), `${extension}\n`);
  openssl(
    folder,
    ...[
      'ca',
      '-batch',
      '-notext',
      '-name',
      'ca',
      '-config',
      'ca.cnf',
      '-keyfile',
      'ca.key',
      '-cert',
      'ca.pem',
    ],
    ...['-in', 'new.csr', '-extfile', 'new.ext', '-startdate', from, '-enddate', until, '-out', 'new.pem'],
  );
  const [key = '', cert = ''] = ['new.key', 'new.pem'].map((name) =>
    readFileSync(join(folder, name), 'utf8'),
  );
  return { key, cert };
}

function openssl(folder: string, ...args: readonly string[]): void {
  execFileSync('openssl', args, { cwd: folder, stdio: 'pipe' });
}
